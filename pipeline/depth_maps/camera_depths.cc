#include "pipeline/depth_maps/camera_depths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/stage_scope.h"
#include "pipeline/depth_maps/depth_guide.h"
#include "pipeline/depth_maps/refinement.h"
#include "pipeline/depth_maps/resolution.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {
namespace {

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

DepthMap estimate_depth(std::span<const DatasetView> views, std::size_t reference,
                        const sparse::DepthRange& range, const CameraDepthOptions& options) {
  const DatasetView& view = views[reference];
  plane_sweep::Input input;
  input.reference = view.view();
  const std::vector<std::size_t> sources = select_sources(views, reference, options.sources);
  for (const std::size_t source : sources) input.sources.push_back(views[source].view());
  if (input.sources.empty())
    throw method_error("plane_sweep: {} has no other camera to compare with", view.name);
  input.depth_min_m = range.min_m;
  input.depth_max_m = range.max_m;
  input.even_in_inverse = view.camera.optics == &kStraightRays;
  const PixelResolution resolution = pixel_resolution(views, reference, sources, range);
  plane_sweep::Options sweep = options.sweep;
  if (input.even_in_inverse) sweep.depths = depths_for_parallax(range, resolution, sweep.depths);
  const std::unique_ptr<opencl::DeviceSweep> device =
      opencl::is_opencl(sweep.device) ? opencl::table().make_sweep(input, sweep) : nullptr;
  plane_sweep::Result swept = device != nullptr ? device->sweep() : plane_sweep::run(input, sweep);
  DepthMap map{view.name, swept.width_px, swept.height_px, std::move(swept.depth_m),
               std::move(swept.confidence)};
  const double at_m = input.even_in_inverse ? resolution.depth_m : 0;
  const double swept_m =
      input.even_in_inverse ? (1 / range.min_m - 1 / range.max_m) * at_m * at_m : range.max_m - range.min_m;
  const double step_m = std::max(swept_m / (sweep.depths - 1) / kStepsPerHypothesis,
                                 kLeastStep_px * resolution.depth_per_pixel_m);
  const float limit_m =
      input.even_in_inverse ? static_cast<float>(kGuideFootprints * resolution.footprint_m) : kGuideLimit_m;
  for (int pass = 0; pass < options.refinements; ++pass) {
    const std::vector<float> guide_m = plane_sweep::depth_guide(
        map.width, map.height, map.depth_along_ray_m, map.confidence, {options.min_confidence, 3, limit_m});
    plane_sweep::RefinedDepth refined =
        device != nullptr ? device->refine(guide_m, step_m, at_m)
                          : plane_sweep::refine_depth_map(input, sweep, guide_m, step_m, at_m);
    if (pass > 0) keep_better_matches(map, refined);  // the sweep's confidence is not comparable
    map.depth_along_ray_m = std::move(refined.depth_m);
    map.confidence = std::move(refined.similarity);
  }
  for (std::size_t i = 0; i < view.inside.size(); ++i) {
    if (view.inside[i] != 0) continue;
    map.depth_along_ray_m[i] = std::numeric_limits<float>::quiet_NaN();
    map.confidence[i] = 0;
  }
  return map;
}

}  // namespace

std::vector<DepthMap> estimate_depths(std::span<const DatasetView> views,
                                      std::span<const sparse::DepthRange> ranges,
                                      const CameraDepthOptions& options) {
  const StageScope scope("depth_estimation");
  if (ranges.size() != views.size())
    throw input_error("{} depth ranges for {} views", ranges.size(), views.size());
  std::vector<DepthMap> maps;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) maps.push_back(estimate_depth(views, i, ranges[i], options));
  if (maps.empty()) throw Error(ErrorKind::method, "plane_sweep: needs a camera that is not auxiliary");
  return maps;
}

std::vector<DepthMap> confirm_depths(std::span<const DatasetView> views, std::span<const DepthMap> maps,
                                     plane_sweep::ConsistencyOptions options) {
  const StageScope scope("filtering");
  options.min_views = std::min(options.min_views, static_cast<int>(maps.size()) - 1);
  std::vector<plane_sweep::DepthView> depth_views;
  for (const DepthMap& map : maps) {
    const auto view = std::ranges::find(views, map.camera, &DatasetView::name);
    if (view == views.end()) throw input_error("depth map of {}: unknown view", map.camera);
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
