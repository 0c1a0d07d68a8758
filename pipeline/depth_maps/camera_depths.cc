#include "pipeline/depth_maps/depth_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/opencl/opencl.h"
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

// The first refinement spaces its hypotheses closer than the sweep by this factor: sixteen of them still span
// two sweep steps to either side.
constexpr double kStepsPerHypothesis = 4;

// Minimum spacing of hypotheses in pixels of the other cameras. With small images and coarse sweep steps,
// sixteen closer ones would not cover the errors of the refined map.
constexpr double kLeastStep_px = 0.1;

// The largest difference of neighbours in a guide: of a tank's floor, and in pixels on the surface without
// water, where a surface turned by 60 degrees changes by five within the guide's radius.
constexpr float kGuideLimit_m = 0.012F;
constexpr double kGuideFootprints = 12;

constexpr int kMaxDepths = 1024;

// Returns at least `wanted` hypotheses, and so many that each moves the match by a pixel at most.
int depths_for_parallax(const sparse::DepthRange& range, const PixelResolution& resolution, int wanted) {
  const double parallax_px = (1 / range.min_m - 1 / range.max_m) * resolution.depth_m * resolution.depth_m /
                             resolution.depth_per_pixel_m;
  return std::max(wanted, static_cast<int>(std::min(std::ceil(parallax_px) + 1, double{kMaxDepths})));
}

// Keeps the previous pass's depth where it matched better or the new pass found none.
void keep_better_matches(const DepthMap& before, plane_sweep::RefinedDepth& refined) {
  for (std::size_t i = 0; i < refined.depth_m.size(); ++i) {
    if (refined.similarity[i] >= before.confidence[i]) continue;
    refined.depth_m[i] = before.depth_along_ray_m[i];
    refined.similarity[i] = before.confidence[i];
  }
}

constexpr int kLeastCoarseWindow_px = 5;  // the mean of four pixels has half their noise

// A view and its sources at one size of their images.
struct SweepLevel {
  plane_sweep::Input input;
  plane_sweep::Options sweep;
  double step_m = 0, step_at_m = 0;  // of the refinements
  float guide_limit_m = 0;
  std::unique_ptr<opencl::DeviceSweep> device;
};

SweepLevel make_level(std::span<const DatasetView> views, std::size_t reference,
                      std::span<const std::size_t> sources, const sparse::DepthRange& range,
                      const plane_sweep::Options& sweep) {
  SweepLevel level;
  level.sweep = sweep;
  plane_sweep::Input& input = level.input;
  input.reference = views[reference].view();
  for (const std::size_t source : sources) input.sources.push_back(views[source].view());
  input.depth_min_m = range.min_m;
  input.depth_max_m = range.max_m;
  input.even_in_inverse = !looks_through_level_water(views[reference].camera);
  const PixelResolution resolution = pixel_resolution(views, reference, sources, range);
  double swept_m = range.max_m - range.min_m;
  level.guide_limit_m = kGuideLimit_m;
  if (input.even_in_inverse) {
    level.sweep.depths = depths_for_parallax(range, resolution, sweep.depths);
    level.step_at_m = resolution.depth_m;
    swept_m = (1 / range.min_m - 1 / range.max_m) * resolution.depth_m * resolution.depth_m;
    level.guide_limit_m = static_cast<float>(kGuideFootprints * resolution.footprint_m);
  }
  level.step_m = std::max(swept_m / (level.sweep.depths - 1) / kStepsPerHypothesis,
                          kLeastStep_px * resolution.depth_per_pixel_m);
  if (opencl::is_opencl(sweep.device)) level.device = opencl::table().make_sweep(input, level.sweep);
  return level;
}

DepthMap swept_map(const SweepLevel& level, const std::string& name) {
  plane_sweep::Result swept =
      level.device != nullptr ? level.device->sweep() : plane_sweep::run(level.input, level.sweep);
  return {name, swept.width_px, swept.height_px, std::move(swept.depth_m), std::move(swept.confidence)};
}

void refine_map(const SweepLevel& level, int passes, float min_confidence, DepthMap& map) {
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<float> guide_m =
        plane_sweep::depth_guide(map.width, map.height, map.depth_along_ray_m, map.confidence,
                                 {min_confidence, 3, level.guide_limit_m});
    plane_sweep::RefinedDepth refined =
        level.device != nullptr
            ? level.device->refine(guide_m, level.step_m, level.step_at_m)
            : plane_sweep::refine_depth_map(level.input, level.sweep, guide_m, level.step_m, level.step_at_m);
    if (pass > 0) keep_better_matches(map, refined);  // the sweep's confidence is not comparable
    map.depth_along_ray_m = std::move(refined.depth_m);
    map.confidence = std::move(refined.similarity);
  }
}

// Returns the map of a coarse view, each of whose pixels stands for factor x factor pixels of `size`. Depths
// are bilinear, except at edges and beside holes.
DepthMap enlarged(const DepthMap& coarse, const RefractiveCamera& size, int factor, float edge_m) {
  DepthMap map{coarse.camera, size.width_px, size.height_px, {}, {}};
  const auto width = static_cast<std::size_t>(map.width), height = static_cast<std::size_t>(map.height);
  map.depth_along_ray_m.resize(width * height);
  map.confidence.resize(width * height);
  // Between which coarse pixels each column or row lies, and how far behind the first.
  const auto places = [&](std::size_t count, int coarse_count) {
    std::vector<std::pair<int, float>> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      const float at = (static_cast<float>(i) + 0.5F) / static_cast<float>(factor) - 0.5F;
      const int first = std::clamp(static_cast<int>(std::floor(at)), 0, std::max(coarse_count - 2, 0));
      all[i] = {first, std::clamp(at - static_cast<float>(first), 0.0F, 1.0F)};
    }
    return all;
  };
  const auto columns = places(width, coarse.width), rows = places(height, coarse.height);
  const int right = std::min(1, coarse.width - 1), below = std::min(1, coarse.height - 1) * coarse.width;
  parallel_for(height, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin, i = begin * width; y < end; ++y)
      for (std::size_t x = 0; x < width; ++x, ++i) {
        const auto [column, fx] = columns[x];
        const auto [row, fy] = rows[y];
        const std::size_t first = static_cast<std::size_t>(row) * coarse.width + column;
        const float* const near_m = &coarse.depth_along_ray_m[first];
        const int nearest = (fy > 0.5F ? below : 0) + (fx > 0.5F ? right : 0);
        const float between_m = (1 - fy) * ((1 - fx) * near_m[0] + fx * near_m[right]) +
                                fy * ((1 - fx) * near_m[below] + fx * near_m[below + right]);
        const bool smooth = std::abs(between_m - near_m[nearest]) < edge_m;  // false for NaN
        map.depth_along_ray_m[i] = smooth ? between_m : near_m[nearest];
        map.confidence[i] = coarse.confidence[first + nearest];
      }
  });
  return map;
}

// Sweeps and refines the coarse view, if there is one, and then refines what it gave in the view itself: a
// sweep of all pixels finds no more, and its windows fit slopes less well than those around a refined map.
DepthMap estimate_depth(std::span<const DatasetView> views, std::span<const DatasetView> coarse,
                        std::size_t reference, const sparse::DepthRange& range,
                        const CameraDepthOptions& options) {
  const DatasetView& view = views[reference];
  const std::vector<std::size_t> sources = select_sources(views, reference, options.sources);
  if (sources.empty()) throw method_error("plane_sweep: {} has no other camera to compare with", view.name);
  const SweepLevel fine = make_level(views, reference, sources, range, options.sweep);
  DepthMap map;
  if (coarse.empty()) {
    map = swept_map(fine, view.name);
  } else {
    const int factor = view.camera.width_px / coarse[reference].camera.width_px;
    plane_sweep::Options sweep = options.sweep;
    if (factor > 1) sweep.window_px = std::max(kLeastCoarseWindow_px, sweep.window_px / factor | 1);
    const SweepLevel level = make_level(coarse, reference, sources, range, sweep);
    map = swept_map(level, view.name);
    refine_map(level, 1, options.min_confidence, map);
    map = enlarged(map, view.camera, factor, level.guide_limit_m / 2);
  }
  refine_map(fine, options.refinements, options.min_confidence, map);
  for (std::size_t i = 0; i < view.inside.size(); ++i) {
    if (view.inside[i] != 0) continue;
    map.depth_along_ray_m[i] = std::numeric_limits<float>::quiet_NaN();
    map.confidence[i] = 0;
  }
  return map;
}

}  // namespace

PixelResolution pixel_resolution(std::span<const DatasetView> views, std::size_t reference,
                                 std::span<const std::size_t> sources, const sparse::DepthRange& range) {
  const RefractiveCamera& camera = views[reference].camera;
  const bool straight = !looks_through_level_water(camera);
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

std::vector<DepthMap> estimate_depths(std::span<const DatasetView> views,
                                      std::span<const sparse::DepthRange> ranges,
                                      const CameraDepthOptions& options) {
  const StageScope scope("depth_estimation");
  // Without a refinement a coarse map would stay coarse.
  const std::vector<DatasetView> coarse =
      options.refinements > 0 ? coarse_views(views) : std::vector<DatasetView>();
  std::vector<DepthMap> maps;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) maps.push_back(estimate_depth(views, coarse, i, ranges[i], options));
  if (maps.empty()) throw method_error("plane_sweep: needs a camera that is not auxiliary");
  return maps;
}

std::vector<DepthMap> confirm_depths(std::span<const DatasetView> views, std::span<const DepthMap> maps,
                                     plane_sweep::ConsistencyOptions options) {
  const StageScope scope("filtering");
  options.min_views = std::min(options.min_views, static_cast<int>(maps.size()) - 1);
  std::vector<plane_sweep::DepthView> depth_views;
  for (const DepthMap& map : maps) {
    const auto view = std::ranges::find(views, map.camera, &DatasetView::name);
    depth_views.push_back({view->camera, map.depth_along_ray_m, map.confidence});
  }
  std::vector<std::vector<int>> agreeing(maps.size());
  if (opencl::is_opencl(options.device)) agreeing = opencl::table().agreeing_views(depth_views, options);
  std::vector<DepthMap> confirmed;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    plane_sweep::FilteredDepth filtered =
        plane_sweep::filter_by_consistency(depth_views, i, options, std::move(agreeing[i]));
    confirmed.push_back({maps[i].camera, maps[i].width, maps[i].height, std::move(filtered.depth_m),
                         std::move(filtered.confidence)});
  }
  return confirmed;
}

}  // namespace aqbench
