#include "metrics/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/parallel.h"
#include "core/table.h"
#include "metrics/completeness.h"
#include "metrics/point_details.h"
#include "metrics/registry.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

constexpr double kMillimetres = 1000;
constexpr std::size_t kSampleGrain = 4096;
constexpr float kConfident = 0.5F;
constexpr std::size_t kBoundSamples = 500;  // at most, of the Cramer-Rao bound
constexpr double kPointsOfCamera = 20000;   // at most, of its depths

// In the order of cloud views: a new one comes last.
enum Cause : std::uint8_t {
  covered,
  not_visible,
  no_depth,
  wrong_depth,
  filtered,
  fused,
  undistortion,
  kCauses
};
constexpr std::array<const char*, kCauses> kCauseNames = {
    "covered", "not_visible", "no_depth", "wrong_depth", "filtered", "fused", "undistortion"};

struct MapView {
  RefractiveCamera camera;  // as the map was made, in the frame of its calibration
  const DepthMap* map;
  const MapCalibration* made_with;
};

std::vector<MapView> views_of(const std::vector<DepthMap>& maps, const MapCalibration& made_with) {
  const Rig& rig = made_with.rig;
  std::vector<MapView> views;
  for (const DepthMap& map : maps) {
    const Camera* const camera = find_camera(rig, map.camera);
    if (camera == nullptr) throw method_error("depth map of {}: the rig has no such camera", map.camera);
    views.push_back({refractive_camera(*camera), &map, &made_with});
    if (map.width != camera->intrinsics.width_px || map.height != camera->intrinsics.height_px ||
        map.depth_along_ray_m.size() != static_cast<std::size_t>(map.width) * map.height)
      throw method_error("depth map of {}: does not have its camera's size", map.camera);
  }
  return views;
}

// What a camera's map has at the place of a point.
enum class Found { nothing, other_depth, same_depth };

// Looks at the four pixels around the point, because on a slope neighbouring depths differ by more than the
// tolerance.
Found look_up(const MapView& view, const Vec3& point_m) {
  const auto image = project(view.camera, view.made_with->from_world(point_m));
  if (!image) return Found::nothing;
  const double left = std::floor(image->pixel.x()), top = std::floor(image->pixel.y());
  Found found = Found::nothing;
  for (const double y : {top, top + 1})
    for (const double x : {left, left + 1}) {
      if (!(x >= 0 && y >= 0 && x < view.map->width && y < view.map->height)) continue;
      const float depth_m = view.map->depth_along_ray_m[static_cast<std::size_t>(y) * view.map->width +
                                                        static_cast<std::size_t>(x)];
      if (!has_depth(depth_m)) continue;
      if (std::abs(depth_m - image->depth_along_ray_m) <= kHeadlineToleranceM) return Found::same_depth;
      found = Found::other_depth;
    }
  return found;
}

Found look_up_all(const std::vector<MapView>& views, const Vec3& point_m) {
  Found best = Found::nothing;
  for (const MapView& view : views) best = std::max(best, look_up(view, point_m));
  return best;
}

Cause cause_of_seen_hole(const Vec3& point_m, const std::vector<MapView>& unfiltered,
                         const std::vector<MapView>& kept) {
  const Found found = look_up_all(unfiltered, point_m);
  if (found != Found::same_depth) return found == Found::nothing ? no_depth : wrong_depth;
  return look_up_all(kept, point_m) == Found::same_depth ? fused : filtered;
}

std::string row(const char* quantity, const std::string& of, std::optional<double> value, const char* unit) {
  return fmt::format("{},{},{},{}\n", quantity, of, value ? fmt::format("{:.6g}", *value) : "", unit);
}

// Of the holes that fewer than two cameras see, those that two cameras' own images show are lost by
// undistortion.
void find_lost_by_undistortion(const Surface& truth, const Rig& rig, const SeenSamples& samples,
                               std::vector<Cause>& causes) {
  std::vector<std::size_t> hidden;
  std::vector<Vec3> positions_m;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i] == not_visible) {
      hidden.push_back(i);
      positions_m.push_back(samples.completeness.samples->positions_m[i]);
    }
  const std::vector<int> own = count_views(truth, rig, positions_m, {.undistorted = false});
  for (std::size_t k = 0; k < hidden.size(); ++k)
    if (own[k] >= 2) causes[hidden[k]] = undistortion;
}

std::vector<Cause> causes_of(const SeenSamples& samples, const Reconstruction& reconstruction,
                             const Surface& truth, const Rig& rig, const MapCalibration& made_with) {
  const auto& positions_m = samples.completeness.samples->positions_m;
  const std::vector<MapView> kept = views_of(reconstruction.depth_maps, made_with);
  const std::vector<MapView> unfiltered = reconstruction.unfiltered_depth_maps.empty()
                                              ? kept
                                              : views_of(reconstruction.unfiltered_depth_maps, made_with);
  std::vector<Cause> causes(positions_m.size(), covered);
  parallel_for(positions_m.size(), kSampleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!(samples.completeness.distance_m[i] <= within_m(kHeadlineToleranceM)))
        causes[i] = samples.views[i] < 2 ? not_visible : cause_of_seen_hole(positions_m[i], unfiltered, kept);
  });
  find_lost_by_undistortion(truth, rig, samples, causes);
  return causes;
}

void write_holes(const SurfaceSamples& samples, std::span<const Cause> causes, MetricWriter& writer,
                 std::string& csv) {
  std::array<double, kCauses> area_m2{};
  double total_m2 = 0;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    area_m2[causes[i]] += samples.weight_m2(i);
    total_m2 += samples.weight_m2(i);
  }
  for (int cause = not_visible; cause < kCauses; ++cause) {
    const double share_pct = 100 * area_m2[cause] / total_m2;
    if (cause != undistortion || share_pct > 0) csv += row("holes", kCauseNames[cause], share_pct, "%");
    if (cause == undistortion) continue;  // of the places that are not visible in undistorted images
    const double lost_m2 = cause == not_visible ? area_m2[undistortion] : 0;
    writer.add(fmt::format("holes_{}_pct", kCauseNames[cause]), 100 * (area_m2[cause] + lost_m2) / total_m2);
  }
}

void write_views(const SeenSamples& samples, std::string& csv) {
  for (const ViewShare& share : completeness_by_views(samples.completeness, samples.views)) {
    const std::string of = fmt::format("{} views", share.views);
    csv += row("area", of, share.surface_pct, "%") + row("completeness", of, share.completeness_pct, "%");
  }
}

// Returns points of a camera's depths, evenly spread over its image.
std::vector<Vec3> some_points(const MapView& view) {
  const std::vector<float>& depth_m = view.map->depth_along_ray_m;
  const auto side =
      static_cast<int>(std::ceil(std::sqrt(static_cast<double>(depth_m.size()) / kPointsOfCamera)));
  std::vector<Vec3> points_m;
  for (int y = side / 2; y < view.map->height; y += side)
    for (int x = side / 2; x < view.map->width; x += side) {
      const float depth = depth_m[static_cast<std::size_t>(y) * view.map->width + x];
      if (!has_depth(depth)) continue;
      const auto ray = cast_ray(view.camera, Vec2(x, y));
      if (ray) points_m.push_back(view.made_with->to_world(point_on_ray(*ray, depth)));
    }
  return points_m;
}

void write_cameras(const Reconstruction& reconstruction, const Surface& truth,
                   const MapCalibration& made_with, const ScoredPart& part, MetricWriter& writer,
                   std::string& csv) {
  std::optional<double> worst_m;
  std::ptrdiff_t measured = 0;
  const std::vector<MapView> views = views_of(reconstruction.depth_maps, made_with);
  for (std::size_t k = 0; k < views.size(); ++k) {
    const std::vector<Vec3> points_m = some_points(views[k]);
    const ScoredPoints scored = score_points(points_m, truth, part);
    std::optional<double> bias_mm, rmse_mm;
    if (!scored.index.empty()) {
      const ErrorSummary errors = summarize_errors(scored.signed_error_m);
      bias_mm = kMillimetres * errors.bias_mean_m;
      rmse_mm = kMillimetres * errors.rmse_m;
      worst_m = std::max(worst_m.value_or(0), std::abs(errors.bias_mean_m));
      ++measured;
    }
    const std::string name = camera_field(views[k].map->camera);
    csv += row("bias", name, bias_mm, "mm") + row("rmse", name, rmse_mm, "mm");
    if (k >= reconstruction.unfiltered_depth_maps.size()) continue;
    const auto count = [](const DepthMap& map) {
      return std::ranges::count_if(map.depth_along_ray_m, has_depth);
    };
    const auto before = count(reconstruction.unfiltered_depth_maps[k]);
    csv += row("confirmed", name,
               before == 0 ? std::nullopt
                           : std::optional(100.0 * static_cast<double>(count(*views[k].map)) /
                                           static_cast<double>(before)),
               "%");
  }
  const auto cameras = std::ranges::count(made_with.rig.cameras, false, &Camera::is_auxiliary);
  if (!worst_m)
    writer.add_undefined("camera_worst_bias_mm", "no depth inside the patch");
  else if (2 * measured <= cameras)
    writer.add_undefined(
        "camera_worst_bias_mm",
        fmt::format("only {} of {} cameras have depths inside the patch", measured, cameras));
  else
    writer.add("camera_worst_bias_mm", kMillimetres * *worst_m);
}

// Returns the root mean square over the scored truth of the Cramer-Rao bound with 1 px of noise.
std::optional<double> mean_bound_m(const std::vector<Vec3>& positions_m, const Rig& rig) {
  const std::vector<SeeingCamera> all = seeing_cameras(rig);
  double sum_m2 = 0;
  std::size_t count = 0;
  const std::size_t step = positions_m.size() / kBoundSamples + 1;
  std::vector<RefractiveCamera> cameras;
  for (std::size_t i = 0; i < positions_m.size(); i += step) {
    cameras.clear();
    for (const SeeingCamera& one : all)
      if (seen_at(one, positions_m[i])) cameras.push_back(one.camera);
    if (const auto bound_m = depth_bound_m(cameras, positions_m[i])) {
      sum_m2 += *bound_m * *bound_m;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return std::sqrt(sum_m2 / static_cast<double>(count));
}

void write_confident(const PointCloud& cloud, const ScoredPoints& scored, MetricWriter& writer) {
  std::vector<double> errors_m;
  if (!cloud.confidence.empty())
    for (std::size_t i = 0; i < scored.index.size(); ++i)
      if (cloud.confidence[scored.index[i]] >= kConfident) errors_m.push_back(scored.signed_error_m[i]);
  if (errors_m.empty())
    writer.add_undefined("precision_confident_2mm_pct", "no point of that confidence inside the patch");
  else
    writer.add("precision_confident_2mm_pct", share_within_pct(errors_m, kHeadlineToleranceM));
}

void write_bound(const Reconstruction& reconstruction, const SurfaceSamples& samples, const Surface& truth,
                 const Rig& rig, const ScoredPart& part, MetricWriter& writer, std::string& csv) {
  const auto bound_m = mean_bound_m(samples.positions_m, rig);
  csv += row("crb_1px", "patch", bound_m ? std::optional(kMillimetres * *bound_m) : std::nullopt, "mm");
  const ScoredPoints scored = score_points(reconstruction.cloud.points_m, truth, part);
  write_confident(reconstruction.cloud, scored, writer);
  if (!bound_m)
    writer.add_undefined("crb_ratio", "no part of the patch is imaged by two cameras");
  else if (scored.index.empty())
    writer.add_undefined("crb_ratio", "no points inside the patch");
  else
    writer.add("crb_ratio", summarize_errors(scored.signed_error_m).rmse_m / *bound_m);
}

}  // namespace

std::string camera_field(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (std::string_view(",;\"\t\r\n").find(c) == std::string_view::npos)
      plain += c;
    else
      plain += fmt::format("%{:02X}", c);
  }
  return csv_field(plain);
}

Diagnosis diagnose(const Reconstruction& reconstruction, const SeenSamples& samples, const Surface& truth,
                   const Rig& rig, const ScoredPart& part, const MapCalibration* made_with) {
  const MapCalibration calibration = made_with != nullptr ? *made_with : MapCalibration{rig};
  const std::vector<Cause> causes = causes_of(samples, reconstruction, truth, rig, calibration);
  Diagnosis diagnosis;
  diagnosis.csv = "quantity,of,value,unit\n";
  MetricWriter writer;
  if (causes.empty()) {
    writer.add_rest_undefined(ScoreFamily::diagnosis, samples.why_none);
    diagnosis.metrics = writer.take();
    return diagnosis;
  }
  const SurfaceSamples& places = *samples.completeness.samples;
  write_holes(places, causes, writer, diagnosis.csv);
  write_views(samples, diagnosis.csv);
  write_cameras(reconstruction, truth, calibration, part, writer, diagnosis.csv);
  write_bound(reconstruction, places, truth, rig, part, writer, diagnosis.csv);
  diagnosis.metrics = writer.take();
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes[i] == covered) continue;
    diagnosis.hole_positions_m.push_back(places.positions_m[i]);
    diagnosis.hole_causes.push_back(causes[i]);
  }
  return diagnosis;
}

}  // namespace aqbench
