#include "harness/scoring/true_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/length_units.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

using Box = Eigen::AlignedBox3d;

// With a smaller share of points near the scene, a wrong unit or frame is the likely cause.
constexpr double kAlmostNone = 0.01;

// Returns the box of the scored part of the surface.
Box truth_box(const Surface& truth) {
  if (const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth)) return bordered->bounds_m();
  Box box;
  const Patch* const patch = truth.patch();
  const double coarse_pitch_m = patch != nullptr ? (patch->x_max_m - patch->x_min_m) / 20 : 1.0;
  for (const Vec3& vertex : truth.mesh(coarse_pitch_m).vertices_m) box.extend(vertex);
  return box;
}

// Returns the box of the scored region, with room around it for a poor reconstruction.
Box truth_region(const Surface& truth) {
  const Box box = truth_box(truth);
  const double margin_m = 0.5 * box.diagonal().norm();
  return {box.min() - Vec3::Constant(margin_m), box.max() + Vec3::Constant(margin_m)};
}

// ---- Units ----

// Returns the unit of that length; nullptr if it is none.
const LengthUnit* unit_of(double metres) {
  for (const LengthUnit& unit : kLengthUnits)
    if (std::abs(unit.metres - metres) < 1e-6 * metres) return &unit;
  return nullptr;
}

// Points lie near the truth in a unit if this share of them is within a tenth of the cloud's size of it.
constexpr double kNearInGivenUnit = 0.1, kNearInOtherUnit = 0.5, kNearness = 0.1;
// A cloud that another unit would make so small or so large beside the truth is not in that unit.
constexpr double kLeastExtent = 0.01, kLargestExtent = 100;

// Returns the size of a cloud that single points far away do not change: twice the median distance from its
// centre.
double extent_m(std::span<const Vec3> points_m) {
  std::vector<double> values(points_m.size());
  Vec3 centre_m;
  for (int axis = 0; axis < 3; ++axis) {
    std::ranges::transform(points_m, values.begin(), [&](const Vec3& point) { return point[axis]; });
    centre_m[axis] = median_in_place(values);
  }
  std::ranges::transform(points_m, values.begin(),
                         [&](const Vec3& point) { return (point - centre_m).norm(); });
  return 2 * median_in_place(values);
}

// Returns the share of points that lie near the truth if all coordinates are `factor` times as large.
double share_near(std::span<const Vec3> points_m, double factor, double reach_m, const Surface& truth) {
  std::vector<Vec3> scaled;
  for (const Vec3& point : points_m) scaled.push_back(factor * point);
  std::vector<double> distances_m(scaled.size());
  truth.signed_distances(scaled, distances_m);
  const auto near =
      std::ranges::count_if(distances_m, [&](double distance) { return std::abs(distance) <= reach_m; });
  return static_cast<double>(near) / static_cast<double>(scaled.size());
}

std::string percent_text(double share) { return fmt::format("{:.0f} %", 100 * share); }

// Throws if the points lie near the truth in another unit of cloud or truth, and not in the given one.
void refuse_other_units(std::span<const Vec3> points_m, const Surface& truth, double truth_diagonal_m,
                        const ScorableHints& hints) {
  const double cloud_m = extent_m(points_m), size_m = cloud_m > 0 ? cloud_m : truth_diagonal_m;
  const double given = share_near(points_m, 1, kNearness * size_m, truth);
  if (given >= kNearInGivenUnit) return;
  const bool may_be_truth = dynamic_cast<const BorderedSurface*>(&truth) != nullptr;
  for (const double factor : {1e-3, 1e-2, 1e-6, 1e3, 1e2, 1e6, 0.1, 10.0, 1e-4, 1e4}) {
    const LengthUnit* const of_cloud = unit_of(factor * hints.metres_per_unit);
    const LengthUnit* const of_truth = may_be_truth ? unit_of(hints.truth_metres_per_unit / factor) : nullptr;
    if (of_cloud == nullptr && of_truth == nullptr) continue;
    const double then_m = factor * cloud_m;
    if (cloud_m > 0 &&
        (then_m < kLeastExtent * truth_diagonal_m || then_m > kLargestExtent * truth_diagonal_m))
      continue;
    const double other =
        share_near(points_m, factor, kNearness * (cloud_m > 0 ? then_m : truth_diagonal_m), truth);
    if (other <= kNearInOtherUnit) continue;
    const std::string shares = fmt::format("{} of the points would then lie near the truth, now {}",
                                           percent_text(other), percent_text(given));
    if (of_cloud != nullptr)
      throw input_error("{}: coordinates look like {}, not {} ({}); {}", hints.name, of_cloud->words,
                        unit_of(hints.metres_per_unit)->words, shares,
                        fmt::format(fmt::runtime(hints.unit), of_cloud->name));
    throw input_error("{}: spans {:.3g} m and the truth {:.3g} m: is the truth in {}? ({}); {}", hints.name,
                      cloud_m, truth_diagonal_m, of_truth->words, shares,
                      fmt::format(fmt::runtime(hints.truth_unit), of_truth->name));
  }
}

// ---- Places ----

constexpr std::size_t kLookedAt = 1000;  // points whose distances from the truth are measured

// How many finite points lie where.
struct PlaceCounts {
  std::size_t finite = 0;
  std::size_t near = 0;  // in the region of the truth
  std::size_t scored = 0;
  Box box;

  void add(const PlaceCounts& other) {
    finite += other.finite;
    near += other.near;
    scored += other.scored;
    box.extend(other.box);
  }
  double share(std::size_t count) const { return static_cast<double>(count) / static_cast<double>(finite); }
};

PlaceCounts count_places(std::span<const Vec3> points_m, const Box& region, const Patch* patch) {
  PlaceCounts counts;
  for (const Vec3& point : points_m) {
    if (!point.allFinite()) continue;
    ++counts.finite;
    counts.box.extend(point);
    counts.near += region.contains(point) ? 1 : 0;
    counts.scored += patch == nullptr || patch->contains(point.x(), point.y()) ? 1 : 0;
  }
  return counts;
}

// Counts all points, and takes some of those that have a place to `some`.
PlaceCounts count_places(const CloudBlocks& cloud, const Box& region, const Patch* patch,
                         std::vector<Vec3>& some) {
  constexpr std::size_t kBlock = std::size_t{1} << 22U, kGrain = std::size_t{1} << 15U;
  constexpr double kReach_m = 1e50;  // of points whose distances are measured
  const std::size_t step = std::max<std::size_t>(1, cloud.points() / kLookedAt);
  PlaceCounts total;
  std::mutex mutex;
  cloud.read(kBlock, [&](const CloudBlock& block) {
    for (std::size_t i = (step - block.first % step) % step; i < block.points_m.size(); i += step)
      if (const Vec3& point = block.points_m[i]; point.cwiseAbs().maxCoeff() < kReach_m && point.allFinite())
        some.push_back(point);
    parallel_for(block.points_m.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      const PlaceCounts counts = count_places(block.points_m.subspan(begin, end - begin), region, patch);
      const std::lock_guard lock(mutex);
      total.add(counts);
    });
  });
  return total;
}

// Returns why the truth of a file may be in another unit than the given one, though the points lie near it:
// it is about a thousand times as large as they are; "" where it is not.
std::string doubt_of_truth(const PlaceCounts& counts, const Surface& truth, const ScorableHints& hints) {
  const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth);
  const double cloud_m = counts.box.diagonal().norm();
  if (bordered == nullptr || !(cloud_m > 0)) return {};
  const double truth_m = bordered->bounds_m().diagonal().norm(), factor = truth_m / cloud_m;
  if (factor < 200 || factor > 5000) return {};
  return fmt::format("{}: spans {:.3g} m and the truth {:.3g} m: is the unit of the truth right?", hints.name,
                     cloud_m, truth_m);
}

std::string span_text(const Box& box) {
  return fmt::format("x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g} m", box.min().x(),
                     box.max().x(), box.min().y(), box.max().y(), box.min().z(), box.max().z());
}

std::vector<Scan> scans_of_depths(const RecordingTruth& truth, std::size_t frame,
                                  const Recording& recording) {
  std::vector<Scan> scans;
  for (const Camera& camera : recording.rig.cameras) {
    const std::filesystem::path file = true_depth_file(truth.dir, camera.name, frame);
    if (file.empty()) continue;
    scans.push_back(scan_of_depths(read_depth_map(file, camera), camera, file.string()));
  }
  return scans;
}

std::vector<Scan> scans_of_files(const SurfaceTruth& truth, std::size_t frame) {
  std::vector<Scan> scans;
  for (const std::string& name : truth.files)
    for (Scan& scan : read_scans(file_of_frame(name, frame), metres_per_unit(truth.unit).value()))
      scans.push_back(std::move(scan));
  return scans;
}

std::shared_ptr<const Surface> surface_of(const SurfaceTruth& truth, std::size_t frame, const Rig& rig) {
  std::vector<Vec3> cameras_m = cameras_of_signs(rig);
  const double metres = metres_per_unit(truth.unit).value();
  const std::filesystem::path first = file_of_frame(truth.files.front(), frame);
  if (truth.files.size() == 1 && first.extension() != ".mlp") {
    GeometryFile read = read_geometry_file(first);
    if (read.mesh) {
      for (Vec3& vertex : read.mesh->vertices_m) vertex *= metres;
      return make_mesh_surface(*std::move(read.mesh), MeshSide::outside, cameras_m);
    }
  }
  return make_truth_cloud(scans_of_files(truth, frame), {.cameras_m = std::move(cameras_m)});
}

}  // namespace

std::string check_scorable(const CloudBlocks& cloud, const Surface& truth, const ScorableHints& hints) {
  if (cloud.points() == 0) throw Error(ErrorKind::input, hints.name + ": no points");
  const Box region = truth_region(truth);
  std::vector<Vec3> some;
  const PlaceCounts counts = count_places(cloud, region, truth.patch(), some);
  if (counts.finite == 0)
    throw input_error("{}: none of its {} points is finite", hints.name, cloud.points());
  if (!some.empty()) refuse_other_units(some, truth, truth_box(truth).diagonal().norm(), hints);
  const std::string frame_hint =
      "is it in the scene's frame (metres, +Z down into the water)? " + hints.frame;
  if (counts.scored == 0)
    throw input_error("{}: no point lies where the scene is scored; the cloud spans {}; {}", hints.name,
                      span_text(counts.box), frame_hint);
  if (counts.share(counts.near) < kAlmostNone)
    return fmt::format("{}: only {:.2g} % of the points lie near the truth; {}", hints.name,
                       100 * counts.share(counts.near), frame_hint);
  return doubt_of_truth(counts, truth, hints);
}

Scene true_scene(const RecordingTruth& truth, std::size_t frame, const std::string& name,
                 const Recording& recording) {
  if (truth.scene_file) return read_dataset_scene(truth.dir.parent_path());
  if (truth.surface->from_depths)
    return {name, Parameters(), {make_truth_cloud(scans_of_depths(truth, frame, recording))}};
  try {
    return {name, Parameters(), {surface_of(*truth.surface, frame, recording.rig)}};
  } catch (const Error& error) {
    if (!error.file().empty()) throw;
    const std::string file = file_of_frame(truth.surface->files.front(), frame).string();
    throw Error(error.kind(), fmt::format("{}: {}", file, error.what()), file);
  }
}

std::vector<Scan> true_scans(const RecordingTruth& truth, std::size_t frame, const Recording& recording) {
  if (truth.scene_file || !truth.surface) return {};
  if (truth.surface->from_depths) return scans_of_depths(truth, frame, recording);
  if (truth.surface->files.size() == 1 &&
      read_geometry_file(file_of_frame(truth.surface->files.front(), frame)).mesh)
    return {};
  return scans_of_files(*truth.surface, frame);
}

Crop crop_of(const SurfaceScoring& scoring, double metres_per_unit) {
  Crop crop;
  for (const std::string& part : scoring.crops) add_crop(crop, part, metres_per_unit);
  return crop;
}

ScoreOptions score_options(const SurfaceScoring& scoring, double metres_per_unit, const Surface& surface,
                           std::size_t points) {
  ScoreOptions options;
  if (!scoring.tolerances_m.empty()) options.tolerances_m = scoring.tolerances_m;
  options.outlier_m = scoring.outlier_m.value_or(options.outlier_m);
  options.sample_spacing_m = scoring.spacing_m ? *scoring.spacing_m : auto_spacing_m(surface, points);
  options.tile_m = scoring.tile_m ? *scoring.tile_m : auto_tile_m(surface);
  options.part.crop = crop_of(scoring, metres_per_unit);
  options.part.max_distance_m = scoring.max_distance_m;
  options.part.leave_out_beyond_border = scoring.leave_out_beyond_border.value_or(false);
  return options;
}

ScoreOptions score_options_of(const RecordingTruth& truth, const Surface& surface, std::size_t points) {
  if (!truth.surface) return {};
  SurfaceScoring scoring = truth.surface->scoring;
  scoring.leave_out_beyond_border = scoring.leave_out_beyond_border.value_or(true);
  return score_options(scoring, metres_per_unit(truth.surface->unit).value_or(1), surface, points);
}

}  // namespace aqbench
