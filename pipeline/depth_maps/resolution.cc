#include "pipeline/depth_maps/resolution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

constexpr double kStep_m = 1e-4;  // of the difference quotients

constexpr double kStepShare = 1e-4;  // likewise, of the depth, without water

constexpr double kLeast_px_per_m = 1e-3;  // less is rounding: cameras at one place

constexpr double kAside = 1.0 / 3;  // of the image's side, from its centre

// How the match moves, over sources that see the place.
struct Motion {
  double squared_px_per_m = 0;
  int seen = 0;
};

void add_motion(std::span<const DatasetView> views, const RefractiveCamera& camera,
                std::span<const std::size_t> sources, const Vec2& pixel, double depth_m, double step_m,
                Motion& motion) {
  const auto ray = cast_ray(camera, pixel), beside = cast_ray(camera, pixel + Vec2(1, 0));
  if (!ray || !beside) return;
  for (const std::size_t source : sources) {
    const auto near = project(views[source].camera, point_on_ray(*ray, depth_m));
    const auto far = project(views[source].camera, point_on_ray(*ray, depth_m + step_m));
    if (!near || !far) continue;
    motion.squared_px_per_m += (far->pixel - near->pixel).squaredNorm() / (step_m * step_m);
    ++motion.seen;
  }
}

}  // namespace

PixelResolution pixel_resolution(std::span<const DatasetView> views, std::size_t reference,
                                 std::span<const std::size_t> sources, const sparse::DepthRange& range) {
  const RefractiveCamera& camera = views[reference].camera;
  const bool straight = camera.optics == &kStraightRays;
  const double depth_m = straight ? 2 / (1 / range.min_m + 1 / range.max_m) : (range.min_m + range.max_m) / 2;
  const double step_m = straight ? kStepShare * depth_m : kStep_m;
  const double least_px_per_m = straight ? kLeast_px_per_m / depth_m : kLeast_px_per_m;
  Motion motion;
  const Vec2 centre((camera.width_px - 1) / 2.0, (camera.height_px - 1) / 2.0);
  for (const double y : straight ? std::vector{-kAside, 0.0, kAside} : std::vector{0.0})
    for (const double x : straight ? std::vector{-kAside, 0.0, kAside} : std::vector{0.0})
      add_motion(views, camera, sources, centre + Vec2(x * camera.width_px, y * camera.height_px), depth_m,
                 step_m, motion);
  if (motion.seen == 0 || motion.squared_px_per_m <= motion.seen * least_px_per_m * least_px_per_m)
    throw method_error("plane_sweep: no other camera resolves depths of {}", views[reference].name);
  const auto ray = cast_ray(camera, centre), beside = cast_ray(camera, centre + Vec2(1, 0));
  return {.depth_m = depth_m,
          .footprint_m = (point_on_ray(*beside, depth_m) - point_on_ray(*ray, depth_m)).norm(),
          .depth_per_pixel_m = 1 / std::sqrt(motion.squared_px_per_m / motion.seen)};
}

PixelResolution dataset_resolution(std::span<const DatasetView> views,
                                   std::span<const sparse::DepthRange> ranges, std::size_t nearest_sources) {
  PixelResolution all{
      .depth_m = 0, .footprint_m = std::numeric_limits<double>::infinity(), .depth_per_pixel_m = 0};
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].is_auxiliary) continue;
    const PixelResolution one =
        pixel_resolution(views, i, select_sources(views, i, nearest_sources), ranges[i]);
    all.footprint_m = std::min(all.footprint_m, one.footprint_m);
    if (one.depth_per_pixel_m <= all.depth_per_pixel_m) continue;
    all.depth_per_pixel_m = one.depth_per_pixel_m;
    all.depth_m = one.depth_m;
  }
  return all;
}

}  // namespace aqbench
