#include "pipeline/depth_maps/resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "scenes/optics/refraction.h"

namespace aqbench {
namespace {

constexpr double kStep_m = 1e-4;  // of the difference quotients

constexpr double kLeast_px_per_m = 1e-3;  // less is rounding: cameras at one place

}  // namespace

PixelResolution pixel_resolution(std::span<const DatasetView> views, std::size_t reference,
                                 std::span<const std::size_t> sources, const sparse::DepthRange& range) {
  const RefractiveCamera& camera = views[reference].camera;
  const double depth_m = (range.min_m + range.max_m) / 2;
  const Vec2 centre((camera.width_px - 1) / 2.0, (camera.height_px - 1) / 2.0);
  const auto ray = cast_ray(camera, centre), beside = cast_ray(camera, centre + Vec2(1, 0));
  double squared_px_per_m = 0;
  int seen = 0;
  for (const std::size_t source : sources) {
    if (!ray || !beside) break;
    const auto near = project(views[source].camera, point_on_ray(*ray, depth_m));
    const auto far = project(views[source].camera, point_on_ray(*ray, depth_m + kStep_m));
    if (!near || !far) continue;
    squared_px_per_m += (far->pixel - near->pixel).squaredNorm() / (kStep_m * kStep_m);
    ++seen;
  }
  if (seen == 0 || squared_px_per_m <= seen * kLeast_px_per_m * kLeast_px_per_m)
    throw Error(ErrorKind::method,
                fmt::format("plane_sweep: no other camera resolves depths of {}", views[reference].name));
  return {.footprint_m = (point_on_ray(*beside, depth_m) - point_on_ray(*ray, depth_m)).norm(),
          .depth_per_pixel_m = 1 / std::sqrt(squared_px_per_m / seen)};
}

PixelResolution dataset_resolution(std::span<const DatasetView> views,
                                   std::span<const sparse::DepthRange> ranges, std::size_t nearest_sources) {
  PixelResolution all{.footprint_m = std::numeric_limits<double>::infinity(), .depth_per_pixel_m = 0};
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].is_auxiliary) continue;
    const PixelResolution one =
        pixel_resolution(views, i, select_sources(views, i, nearest_sources), ranges[i]);
    all.footprint_m = std::min(all.footprint_m, one.footprint_m);
    all.depth_per_pixel_m = std::max(all.depth_per_pixel_m, one.depth_per_pixel_m);
  }
  return all;
}

}  // namespace aqbench
