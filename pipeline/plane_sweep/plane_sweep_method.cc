#include "pipeline/plane_sweep/plane_sweep_method.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/stage_scope.h"
#include "core/text.h"
#include "pipeline/depth_maps/depth_maps.h"
#include "pipeline/fusion/fusion.h"
#include "pipeline/sparse/sparse.h"
#include "pipeline/views/dataset_views.h"

namespace aqbench {
namespace {

// Share of all pixels that must pass the filter.
constexpr double kFewestConfirmed = 0.01;

// Below these, differences come from image noise, not from the surface.
constexpr double kLeastTolerance_px = 0.3;       // of depth_tolerance_m, in pixels of the other cameras
constexpr double kLeastVoxel_footprints = 0.25;  // of voxel_m, in pixels on the surface

// Of refined depths, where only one other camera can confirm them. Such a pair also confirms chance matches
// of mere noise, since both of its maps compare the same two patches: of 49 pixels, the best of 1000
// hypotheses correlates by less than this.
constexpr float kPairConfidence = 0.7F;

constexpr int kLeastWindow_px = 7;  // with fewer pixels noise hides the differences

CameraDepthOptions depth_options(const MethodInput& input, int width_px) {
  const Parameters& p = input.parameters;
  CameraDepthOptions options;
  options.sweep.depths = static_cast<int>(p.integer("depths"));
  options.sweep.window_px = static_cast<int>(p.integer("window"));
  if (options.sweep.window_px == 0)
    options.sweep.window_px = window_of_width(static_cast<int>(p.integer("window_at_1600")), width_px);
  options.sweep.cost = plane_sweep::cost_function_from_name(p.text("cost"));
  options.sweep.kernel = plane_sweep::kernel_from_name(p.text("kernel"));
  options.sweep.batch = static_cast<int>(p.integer("batch"));
  options.sweep.device = input.device;
  options.sources = static_cast<std::size_t>(p.integer("sources"));
  options.refinements = refinements_of_width(static_cast<int>(p.integer("refinements")), width_px);
  options.min_confidence = static_cast<float>(p.number("min_confidence"));
  return options;
}

plane_sweep::ConsistencyOptions consistency_options(const MethodInput& input,
                                                    const PixelResolution& resolution, bool straight,
                                                    bool pair) {
  const Parameters& p = input.parameters;
  plane_sweep::ConsistencyOptions options;
  options.device = input.device;
  options.min_confidence = static_cast<float>(p.number("min_confidence"));
  options.depth_tolerance_m = p.number("depth_tolerance_m");
  if (!straight)
    options.depth_tolerance_m =
        std::max(options.depth_tolerance_m, kLeastTolerance_px * resolution.depth_per_pixel_m);
  options.min_views = static_cast<int>(p.integer("min_views"));
  if (pair && options.min_views > 0 && p.integer("refinements") > 0)
    options.min_confidence = std::max(options.min_confidence, kPairConfidence);
  if (straight)
    options.tolerance_per_m2 =
        kLeastTolerance_px * resolution.depth_per_pixel_m / (resolution.depth_m * resolution.depth_m);
  return options;
}

// Rays that start at a camera are searched in inverse depth, which 0 does not have.
double least_depth_m(std::span<const DatasetView> views, double greatest_m) {
  const auto straight = [](const DatasetView& view) { return !looks_through_level_water(view.camera); };
  return std::ranges::any_of(views, straight) ? 1e-3 * greatest_m : 0;
}

// Reads the parameter depth_range_m, "LOW:HIGH".
sparse::DepthRange depth_range_from(const std::string& text) {
  const auto ends = split_at(text, ':');
  const auto low_m = parse_double(ends.front()), high_m = parse_double(ends.back());
  if (ends.size() != 2 || !low_m || !high_m || !(*low_m >= 0 && *low_m < *high_m && *high_m <= 1000))
    throw usage_error("plane_sweep.depth_range_m '{}': expected LOW:HIGH in metres, 0 <= LOW < HIGH <= 1000",
                      text);
  return {*low_m, *high_m};
}

// Returns one range for each view. Views that see too little of the sparse cloud get the range of all others
// together.
std::vector<sparse::DepthRange> view_depth_ranges(std::span<const DatasetView> views,
                                                  const MethodInput& input) {
  if (const std::string by_hand = input.parameters.text("depth_range_m"); !by_hand.empty()) {
    const sparse::DepthRange range = depth_range_from(by_hand);
    return std::vector<sparse::DepthRange>(
        views.size(), {std::max(range.min_m, least_depth_m(views, range.max_m)), range.max_m});
  }
  const sparse::Options options = sparse::options_from(input.parameters, kPlaneSweepSparsePrefix);
  const std::vector<DatasetView> coarse = coarse_views(views);  // a range needs no fine pixels
  const std::span<const DatasetView> seen = coarse.empty() ? views : coarse;
  sparse::TrackCounts counts;
  auto ranges =
      sparse::filled_ranges(sparse::sighted_depth_ranges(sparse::reconstruct(seen, options, &counts), seen));
  if (ranges.empty())
    throw method_error("plane_sweep: no depth range: no camera sees the {} sparse points it needs ({})",
                       sparse::kMinDepthPoints, sparse::describe(counts, options));
  return ranges;
}

void require_confirmed(const std::vector<DepthMap>& found, const std::vector<DepthMap>& confirmed) {
  std::size_t pixels = 0, with_depth = 0, kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    pixels += found[i].depth_along_ray_m.size();
    with_depth += std::ranges::count_if(found[i].depth_along_ray_m, has_depth);
    kept += std::ranges::count_if(confirmed[i].depth_along_ray_m, has_depth);
  }
  const auto share = [&](std::size_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(pixels, 1));
  };
  if (static_cast<double>(kept) >= kFewestConfirmed * static_cast<double>(pixels)) return;
  throw method_error(
      "plane_sweep: other views confirm the depth of {:.2f} % of the pixels, of {:.1f} % that "
      "have one; {:.0f} % are needed: too little texture, or a wrong range or calibration",
      share(kept), share(with_depth), 100 * kFewestConfirmed);
}

// The least and the greatest depth that any camera's sweep looked at.
std::pair<double, double> searched_depths_m(std::span<const DatasetView> views,
                                            std::span<const sparse::DepthRange> ranges) {
  double least_m = std::numeric_limits<double>::infinity(), greatest_m = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].is_auxiliary) continue;
    least_m = std::min(least_m, ranges[i].min_m);
    greatest_m = std::max(greatest_m, ranges[i].max_m);
  }
  return {least_m, greatest_m};
}

}  // namespace

int window_of_width(int window_at_1600_px, int width_px) {
  const double wanted_px = window_at_1600_px * width_px / 1600.0;
  const int odd_px = 2 * static_cast<int>(std::lround((wanted_px - 1) / 2)) + 1;
  return std::clamp(odd_px, kLeastWindow_px, plane_sweep::kMaxWindow_px);
}

int refinements_of_width(int refinements_at_1600, int width_px) {
  return static_cast<int>(std::lround(refinements_at_1600 * std::max(1.0, width_px / 1600.0)));
}

Reconstruction run_plane_sweep(const Observation& observation, const MethodInput& input) {
  const StageScope scope("pipeline");
  std::vector<DatasetView> views =
      read_dataset_views(observation.dataset_dir, sparse::view_options_from(input.parameters));
  const Vec3 origin_m = move_origin_to(views);
  const std::vector<sparse::DepthRange> ranges = view_depth_ranges(views, input);
  const CameraDepthOptions options = depth_options(input, views.front().camera.width_px);
  Reconstruction result;
  result.unfiltered_depth_maps = estimate_depths(views, ranges, options);
  const PixelResolution resolution = dataset_resolution(views, ranges, options.sources);
  const bool straight = !looks_through_level_water(views.front().camera);
  const bool pair = result.unfiltered_depth_maps.size() == 2;
  result.depth_maps = confirm_depths(views, result.unfiltered_depth_maps,
                                     consistency_options(input, resolution, straight, pair));
  require_confirmed(result.unfiltered_depth_maps, result.depth_maps);
  for (DatasetView& view : views) view.grey = {}, view.inside = {};  // what follows needs their cameras alone
  FusionOptions fusion = fusion_options(input.parameters);
  fusion.voxel_m = std::max(fusion.voxel_m, kLeastVoxel_footprints * resolution.footprint_m);
  result.cloud = fuse_depth_maps<DatasetView>(views, result.depth_maps, fusion);
  result.mesh = reconstruct_surface(result.cloud, surface_of(surface_options(input.parameters), !straight));
  move_points(origin_m, result);
  const auto [nearest, farthest] = searched_depths_m(views, ranges);
  result.effective = {{"window_px", static_cast<double>(options.sweep.window_px)},
                      {"refinements", static_cast<double>(options.refinements)},
                      {"voxel_m", fusion.voxel_m},
                      {"footprint_m", resolution.footprint_m},
                      {"depth_min_m", nearest},
                      {"depth_max_m", farthest}};
  return result;
}

}  // namespace aqbench
