#include "pipeline/dense_flow/dense_reconstruction.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <opencv2/core.hpp>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "core/stage_scope.h"
#include "pipeline/dense_flow/depth_prior.h"
#include "pipeline/depth_maps/resolution.h"

namespace aqbench::dense_flow {
namespace {

// OpenCV's inverse search splits its work by thread count, which changes results; so pairs run in parallel
// instead.
class SingleThreadedOpenCv {
 public:
  SingleThreadedOpenCv() { cv::setNumThreads(1); }
  ~SingleThreadedOpenCv() { cv::setNumThreads(before_); }
  SingleThreadedOpenCv(const SingleThreadedOpenCv&) = delete;
  SingleThreadedOpenCv& operator=(const SingleThreadedOpenCv&) = delete;

 private:
  int before_ = cv::getNumThreads();
};

constexpr int kSmallest_px = 32;
constexpr double kPriorSmoothing_px = 4;  // of the depths that align the sources of a later pass

plane_sweep::GreyImage grey_image(const DatasetView& view, const std::vector<float>& grey) {
  return {view.camera.width_px, view.camera.height_px, grey.data(), nullptr};
}

void check_views(std::span<const DatasetView> views) {
  if (views.size() < 2) throw input_error("dense matching needs two cameras, got {}", views.size());
  for (const DatasetView& view : views)
    if (view.camera.width_px < kSmallest_px || view.camera.height_px < kSmallest_px)
      throw input_error("camera '{}': images of {} x {} px are too small for dense matching", view.name,
                        view.camera.width_px, view.camera.height_px);
}

// Removes matches outside the image of the source camera.
void drop_unseen(const DatasetView& source, PairWarp& warp) {
  const auto right = static_cast<float>(source.camera.width_px - 1);
  const auto bottom = static_cast<float>(source.camera.height_px - 1);
  for (std::size_t i = 0; i < warp.x_px.size(); ++i) {
    const float x = warp.x_px[i], y = warp.y_px[i];
    const bool inside = x >= 0 && y >= 0 && x <= right && y <= bottom;  // false for NaN
    if (inside && source.inside[static_cast<std::size_t>(std::lround(y)) *
                                    static_cast<std::size_t>(source.camera.width_px) +
                                static_cast<std::size_t>(std::lround(x))] != 0)
      continue;
    warp.x_px[i] = warp.y_px[i] = std::numeric_limits<float>::quiet_NaN();
  }
}

std::vector<PairWarp> match_sources(const DatasetView& reference, std::span<const DatasetView* const> sources,
                                    std::span<const float> prior_m, const PairMatcher& matcher, bool align) {
  const StageScope scope("dense_matching");
  std::vector<PairWarp> warps(sources.size());
  const auto match = [&](std::size_t s) {
    const DatasetView& source = *sources[s];
    if (!align) {
      warps[s] = matcher.match(grey_image(reference, reference.grey), grey_image(source, source.grey));
      drop_unseen(source, warps[s]);
      return;
    }
    const AlignedSource aligned = align_source(reference, source, prior_m);
    warps[s] = matcher.match(grey_image(reference, reference.grey), grey_image(reference, aligned.grey));
    through_alignment(aligned, reference.camera.width_px, reference.camera.height_px, warps[s]);
  };
  if (matcher.several_threads) {
    parallel_for(sources.size(), 1, [&](std::size_t s, std::size_t) { match(s); });
  } else {
    for (std::size_t s = 0; s < sources.size(); ++s) match(s);
  }
  return warps;
}

// Removes depths outside of the reference's mask.
void drop_masked(const DatasetView& reference, DepthEstimate& estimate) {
  if (!reference.has_mask) return;
  for (std::size_t i = 0; i < reference.inside.size(); ++i)
    if (reference.inside[i] == 0) {
      estimate.depth_m[i] = std::numeric_limits<float>::quiet_NaN();
      estimate.confidence[i] = 0;
    }
}

// first_m: depths to start from.
DepthEstimate estimate_depth(std::span<const DatasetView> views, std::size_t index,
                             const std::vector<float>& first_m, const PairMatcher& matcher,
                             const DenseOptions& options) {
  const DatasetView& reference = views[index];
  std::vector<const DatasetView*> sources;
  for (const std::size_t source :
       select_sources(views, index, static_cast<std::size_t>(options.nearest_sources)))
    sources.push_back(&views[source]);
  std::vector<float> prior_m = first_m;
  DepthEstimate estimate;
  for (int pass = 0; pass < options.passes; ++pass) {
    if (pass > 0)
      prior_m = smooth_depths(estimate, reference.camera.width_px, reference.camera.height_px,
                              kPriorSmoothing_px, first_m);
    const std::vector<PairWarp> warps = match_sources(reference, sources, prior_m, matcher, options.align);
    const StageScope scope("triangulation");
    estimate = triangulate_matches(reference, sources, warps, options.triangulation);
  }
  if (options.refinement.iterations > 0) {
    const StageScope scope("depth_refinement");
    refine_depths(reference, sources, first_m, options.refinement, estimate);
  }
  drop_masked(reference, estimate);
  return estimate;
}

constexpr double kTolerance_px = 0.5;  // of a confirming depth without water, where images have no scale

// Returns what kTolerance_px is in depth, over the squared depth; 0 through water.
double tolerance_per_m2(std::span<const DatasetView> views, const std::vector<DepthEstimate>& estimates,
                        const DenseOptions& options) {
  double most = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].camera.optics != &kStraightRays || views[i].is_auxiliary) continue;
    std::vector<float> depths_m;
    std::ranges::copy_if(estimates[i].depth_m, std::back_inserter(depths_m), has_depth);
    if (depths_m.empty()) continue;
    const double middle_m = upper_median_in_place<float>(depths_m);
    const auto sources = select_sources(views, i, static_cast<std::size_t>(options.nearest_sources));
    const PixelResolution one = pixel_resolution(views, i, sources, {middle_m, middle_m});
    most = std::max(most, kTolerance_px * one.depth_per_pixel_m / (middle_m * middle_m));
  }
  return most;
}

// Removes depths that other views do not confirm. Views without an estimate are auxiliary.
std::vector<DepthMap> filter_depths(std::span<const DatasetView> views,
                                    const std::vector<DepthEstimate>& estimates,
                                    const DenseOptions& options) {
  const StageScope scope("filtering");
  std::vector<plane_sweep::DepthView> depth_views;
  std::vector<std::size_t> of_view;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].is_auxiliary) continue;
    depth_views.push_back({views[i].camera, estimates[i].depth_m, estimates[i].confidence});
    of_view.push_back(i);
  }
  plane_sweep::ConsistencyOptions consistency = options.consistency;
  consistency.min_views = std::min(consistency.min_views, static_cast<int>(depth_views.size()) - 1);
  consistency.tolerance_per_m2 = tolerance_per_m2(views, estimates, options);
  std::vector<DepthMap> maps;
  for (std::size_t v = 0; v < depth_views.size(); ++v) {
    plane_sweep::FilteredDepth filtered = plane_sweep::filter_by_consistency(depth_views, v, consistency);
    const DatasetView& view = views[of_view[v]];
    maps.push_back({view.name, view.camera.width_px, view.camera.height_px, std::move(filtered.depth_m),
                    std::move(filtered.confidence)});
  }
  return maps;
}

PointCloud fuse_maps(std::span<const DatasetView> views, const std::vector<DepthMap>& maps,
                     const FusionOptions& options) {
  const StageScope scope("fusion");
  std::vector<CameraPoints> cameras;
  for (const DepthMap& map : maps) {
    const auto view = std::ranges::find(views, map.camera, &DatasetView::name);
    cameras.push_back(points_of_depth_map(view->camera, map));
  }
  return fuse(cameras, options);
}

}  // namespace

void check(const DenseOptions& options) {
  const auto require = [](bool good, const char* field, const char* wanted) {
    if (!good) throw usage_error("{}: must be {}", field, wanted);
  };
  require(options.nearest_sources >= 1, "sources", "at least 1");
  require(options.passes >= 1, "passes", "at least 1");
  require(options.triangulation.min_pairs >= 1, "min_pairs", "at least 1");
  require(options.triangulation.max_residual_px > 0, "max_residual_px", "positive");
  require(options.refinement.iterations >= 0, "refine_iterations", "0 or more");
  require(options.refinement.window_px >= 3 && options.refinement.window_px % 2 == 1, "refine_window_px",
          "odd and at least 3");
  plane_sweep::check(options.consistency);
  check(options.fusion);
  check(options.surface);
}

Reconstruction reconstruct_densely(std::span<const DatasetView> views, const PairMatcher& matcher,
                                   const DenseOptions& options) {
  check(options);
  check_views(views);
  const SingleThreadedOpenCv single_threaded;
  std::vector<std::vector<float>> priors_m;
  {
    const StageScope scope("depth_range");
    priors_m = depth_priors(views);
  }
  std::vector<DepthEstimate> estimates(views.size());
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) estimates[i] = estimate_depth(views, i, priors_m[i], matcher, options);
  Reconstruction result;
  result.depth_maps = filter_depths(views, estimates, options);
  estimates.clear();
  result.cloud = fuse_maps(views, result.depth_maps, options.fusion);
  if (result.cloud.points_m.empty())
    throw Error(ErrorKind::method, "fusion: the cloud is empty because other views confirm no depth");
  const bool water = views.front().camera.optics != &kStraightRays;
  result.mesh = reconstruct_surface(result.cloud, surface_of(options.surface, water));
  return result;
}

}  // namespace aqbench::dense_flow
