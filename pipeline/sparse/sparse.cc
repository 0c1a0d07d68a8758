#include "pipeline/sparse/sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "core/stage_scope.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::sparse {
namespace {

std::vector<PairMatches> match_views(std::span<const DatasetView> views, std::span<const Features> features,
                                     const Options& options) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < views.size(); ++i)
    for (const std::size_t source : select_sources(views, i, static_cast<std::size_t>(options.sources)))
      pairs.insert(std::minmax(i, static_cast<std::uint32_t>(source)));
  std::vector<PairMatches> matched;
  for (const auto& [a, b] : pairs)
    matched.push_back(
        {a, b,
         epipolar_matches(match_features(features[a], features[b], options.max_ratio), features[a],
                          views[a].camera, features[b], views[b].camera, options.epipolar_px)});
  return matched;
}

// Of max_reprojection_px, for the root mean square of a point's sightings where a third must confirm it.
constexpr double kConfirmedShare = 0.25;

// One sighting of a track, cast once.
struct TrackRay {
  Sighting sighting;
  Vec2 pixel;
  WaterRay ray;
};

std::vector<WaterRay> rays_of(std::span<const TrackRay> sightings) {
  std::vector<WaterRay> rays;
  for (const TrackRay& sighting : sightings) rays.push_back(sighting.ray);
  return rays;
}

double widest_angle_deg(std::span<const TrackRay> sightings) {
  double least_cosine = 1;
  for (std::size_t i = 0; i < sightings.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      least_cosine = std::min(least_cosine,
                              to_vec3(sightings[i].ray.direction).dot(to_vec3(sightings[j].ray.direction)));
  return std::acos(std::clamp(least_cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

// Below level water, or along the ray where there is none.
double depth_of(const Vec3& point_m, const RefractiveCamera& camera) {
  if (looks_through_level_water(camera)) return point_m.z() - camera.water_z_m;
  const double straight_m = (point_m - to_vec3(camera.centre_m)).norm();
  if (camera.optics == &kStraightRays) return straight_m;
  const auto seen = project(camera, point_m);  // through a port the ray begins at its glass
  return seen ? seen->depth_along_ray_m : straight_m;
}

// Without water, where cameras may look from all around and the depth has no other bound, a third camera must
// confirm what two see, and closely: a wrong match of two lies on both rays.
bool needs_confirmation(std::span<const DatasetView> views) {
  return views.size() >= 3 && !looks_through_level_water(views.front().camera);
}

// Of each sighting, px; infinite where the point is not imaged.
std::vector<double> reprojection_errors(const Vec3& point_m, std::span<const TrackRay> sightings,
                                        std::span<const DatasetView> views) {
  std::vector<double> errors_px;
  for (const TrackRay& sighting : sightings) {
    const auto image = project(views[sighting.sighting.view].camera, point_m);
    errors_px.push_back(image ? (image->pixel - sighting.pixel).norm() : INFINITY);
  }
  return errors_px;
}

constexpr double kLowQuantile = 0.02, kHighQuantile = 0.98;
// The margin of a range at both ends: under level water, and as a share of the depth without it, where images
// have no scale.
constexpr double kDepthMargin_m = 0.05, kDepthMarginShare = 0.1;

// Sorts the depths.
DepthRange range_of(std::vector<double>& depths_m, bool straight) {
  std::ranges::sort(depths_m);
  const double low_m = quantile_of_sorted(depths_m, kLowQuantile),
               high_m = quantile_of_sorted(depths_m, kHighQuantile);
  return {std::max(0.0, low_m - (straight ? kDepthMarginShare * low_m : kDepthMargin_m)),
          high_m + (straight ? kDepthMarginShare * high_m : kDepthMargin_m)};
}

}  // namespace

std::optional<SparsePoint> triangulate_track(const Track& track, std::span<const DatasetView> views,
                                             std::span<const Features> features, const Options& options,
                                             TrackCounts* counts) {
  TrackCounts unused;
  TrackCounts& counted = counts != nullptr ? *counts : unused;
  std::vector<TrackRay> sightings;
  for (const Sighting& sighting : track) {
    const Vec2& pixel = features[sighting.view].pixels[sighting.keypoint];
    if (const auto ray = cast_ray(views[sighting.view].camera, pixel))
      sightings.push_back({sighting, pixel, *ray});
  }
  while (sightings.size() >= 2) {
    const auto found = triangulate(rays_of(sightings));
    if (!found) break;
    const std::vector<double> errors_px = reprojection_errors(*found, sightings, views);
    const auto worst = std::ranges::max_element(errors_px);
    if (*worst >= options.max_reprojection_px) {
      sightings.erase(sightings.begin() + (worst - errors_px.begin()));
      continue;
    }
    const double depth_m = depth_of(*found, views[sightings[0].sighting.view].camera);
    if (options.max_depth_m > 0 && !(depth_m < options.max_depth_m)) {
      ++counted.too_deep;
      return std::nullopt;
    }
    if (!(widest_angle_deg(sightings) > options.min_angle_deg)) {
      ++counted.narrow;
      return std::nullopt;
    }
    SparsePoint point{*found, 0, {}};
    for (const double error_px : errors_px) point.reprojection_rms_px += error_px * error_px;
    point.reprojection_rms_px = std::sqrt(point.reprojection_rms_px / static_cast<double>(errors_px.size()));
    if (needs_confirmation(views) &&
        (sightings.size() < 3 || point.reprojection_rms_px > kConfirmedShare * options.max_reprojection_px)) {
      ++counted.unconfirmed;
      return std::nullopt;
    }
    for (const TrackRay& sighting : sightings) point.sightings.push_back(sighting.sighting);
    return point;
  }
  ++counted.disagree;
  return std::nullopt;
}

std::string describe(const TrackCounts& counts, const Options& options) {
  std::string text = fmt::format("{} keypoints, {} tracks of two or more cameras, {} points",
                                 counts.keypoints, counts.tracks, counts.points);
  const char* separator = "; dropped: ";
  const auto add = [&](std::size_t count, const std::string& why) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", separator, count, why);
    separator = ", ";
  };
  add(counts.disagree, fmt::format("with sightings {} px or more from any common place in front of their "
                                   "cameras (max_reprojection_px)",
                                   options.max_reprojection_px));
  add(counts.narrow,
      fmt::format("with less than {} degrees between rays (min_angle_deg)", options.min_angle_deg));
  add(counts.unconfirmed, "that no third camera confirms to a quarter of max_reprojection_px");
  add(counts.too_deep, fmt::format("beyond {} m (max_depth_m)", options.max_depth_m));
  return text;
}

std::vector<SparsePoint> reconstruct(std::span<const DatasetView> views, const Options& options,
                                     TrackCounts* counts) {
  if (views.size() < 2) throw method_error("{} camera: triangulation needs two", views.size());
  std::vector<Features> features;
  std::vector<Track> tracks;
  {
    const StageScope scope("sparse_matching");
    features = detect_features(views, options.features);
    tracks = build_tracks(match_views(views, features, options), features);
  }
  const StageScope scope("triangulation");
  std::vector<std::optional<SparsePoint>> found(tracks.size());
  std::vector<TrackCounts> of_track(tracks.size());
  parallel_for(tracks.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      found[i] = triangulate_track(tracks[i], views, features, options, &of_track[i]);
  });
  std::vector<SparsePoint> points;
  for (auto& point : found)
    if (point) points.push_back(std::move(*point));
  if (counts != nullptr) {
    *counts = {.tracks = tracks.size(), .points = points.size()};
    for (const Features& of_view : features) counts->keypoints += of_view.size();
    for (const TrackCounts& one : of_track) {
      counts->disagree += one.disagree;
      counts->narrow += one.narrow;
      counts->unconfirmed += one.unconfirmed;
      counts->too_deep += one.too_deep;
    }
  }
  return points;
}

float confidence(const SparsePoint& point, const Options& options) {
  const double residual = 1 - std::min(1.0, point.reprojection_rms_px / options.max_reprojection_px);
  const double views = 1 - 1 / static_cast<double>(point.sightings.size());
  return static_cast<float>(std::sqrt(residual * views));
}

std::vector<Vec3> positions(std::span<const SparsePoint> points) {
  std::vector<Vec3> positions_m;
  for (const SparsePoint& point : points) positions_m.push_back(point.point_m);
  return positions_m;
}

std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views) {
  std::vector<std::optional<DepthRange>> ranges;
  for (const DatasetView& view : views) {
    std::vector<double> depths_m;
    for (const Vec3& point_m : points_m) {
      const auto image = project(view.camera, point_m);
      if (image && is_in_image(view.camera, image->pixel.x(), image->pixel.y()))
        depths_m.push_back(image->depth_along_ray_m);
    }
    ranges.emplace_back();
    if (depths_m.size() >= kMinDepthPoints)
      ranges.back() = range_of(depths_m, !looks_through_level_water(view.camera));
  }
  return ranges;
}

std::vector<std::optional<DepthRange>> sighted_depth_ranges(std::span<const SparsePoint> points,
                                                            std::span<const DatasetView> views) {
  std::vector<std::optional<DepthRange>> ranges = depth_ranges(positions(points), views);
  std::vector<std::vector<double>> sighted_m(views.size());
  for (const SparsePoint& point : points)
    for (const Sighting& sighting : point.sightings)
      if (const auto image = project(views[sighting.view].camera, point.point_m))
        sighted_m[sighting.view].push_back(image->depth_along_ray_m);
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!looks_through_level_water(views[i].camera) && sighted_m[i].size() >= kMinDepthPoints)
      ranges[i] = range_of(sighted_m[i], true);
  return ranges;
}

std::vector<DepthRange> filled_ranges(std::span<const std::optional<DepthRange>> ranges) {
  DepthRange all{std::numeric_limits<double>::infinity(), 0};
  for (const auto& range : ranges)
    if (range) all = {std::min(all.min_m, range->min_m), std::max(all.max_m, range->max_m)};
  std::vector<DepthRange> filled;
  if (!(all.min_m < all.max_m)) return filled;
  for (const auto& range : ranges) filled.push_back(range.value_or(all));
  return filled;
}

Options options_from(const Parameters& parameters, const std::string& prefix) {
  const auto number = [&](const char* name) { return parameters.number(prefix + name); };
  const auto count = [&](const char* name) { return static_cast<int>(parameters.integer(prefix + name)); };
  return {.features = {count("keypoints"), number("contrast_threshold"), number("edge_threshold")},
          .sources = count("sources"),
          .max_ratio = number("max_ratio"),
          .epipolar_px = number("epipolar_px"),
          .min_angle_deg = number("min_angle_deg"),
          .max_reprojection_px = number("max_reprojection_px"),
          .max_depth_m = number("max_depth_m")};
}

DatasetViewOptions view_options_from(const Parameters& parameters) {
  return {.clahe = parameters.text("clahe") == "on",
          .clahe_clip_limit = parameters.number("clahe_clip_limit"),
          .clahe_tiles = static_cast<int>(parameters.integer("clahe_tiles"))};
}

Reconstruction run(const Observation& observation, const MethodInput& input) {
  const StageScope scope("pipeline");
  const Options options = options_from(input.parameters);
  const auto views = read_dataset_views(observation.dataset_dir, view_options_from(input.parameters));
  Reconstruction output;
  TrackCounts counts;
  for (const SparsePoint& point : reconstruct(views, options, &counts)) {
    output.cloud.points_m.push_back(point.point_m);
    output.cloud.confidence.push_back(confidence(point, options));
  }
  if (output.cloud.points_m.empty())
    throw method_error("{} ({})",
                       counts.disagree == counts.tracks
                           ? "no point was seen by two cameras: too little texture or a wrong calibration"
                           : "no point is left",
                       describe(counts, options));
  return output;
}

}  // namespace aqbench::sparse
