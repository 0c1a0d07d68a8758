#include "pipeline/dense_flow/dense_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>

#include "core/error.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "core/stage_scope.h"
#include "pipeline/sparse/sparse.h"

AQBENCH_MODULE_TABLE aqbench::dense_flow::TorchscriptTable aqbench_torchscript_table;

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
  return {view.camera.width_px, view.camera.height_px, grey.data()};
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
  for (std::size_t i = 0; i < warp.x_px.size(); ++i)
    if (!source.sees(warp.x_px[i], warp.y_px[i]))
      warp.x_px[i] = warp.y_px[i] = std::numeric_limits<float>::quiet_NaN();
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
    if (looks_through_level_water(views[i].camera) || views[i].is_auxiliary) continue;
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
std::vector<DepthMap> filter_depths(std::span<const DatasetView> views, std::vector<DepthEstimate> estimates,
                                    const DenseOptions& options) {
  plane_sweep::ConsistencyOptions consistency = options.consistency;
  consistency.tolerance_per_m2 = tolerance_per_m2(views, estimates, options);
  std::vector<DepthMap> maps;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary)
      maps.push_back({views[i].name, views[i].camera.width_px, views[i].camera.height_px,
                      std::move(estimates[i].depth_m), std::move(estimates[i].confidence)});
  return confirm_depths(views, maps, consistency);
}

}  // namespace

Reconstruction reconstruct_densely(std::vector<DatasetView> views, const PairMatcher& matcher,
                                   const DenseOptions& options) {
  check_views(views);
  const SingleThreadedOpenCv single_threaded;
  const Vec3 origin_m = move_origin_to(views);
  std::vector<std::vector<float>> priors_m;
  {
    const StageScope scope("depth_range");
    priors_m = depth_priors(views);
  }
  std::vector<DepthEstimate> estimates(views.size());
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) estimates[i] = estimate_depth(views, i, priors_m[i], matcher, options);
  Reconstruction result;
  result.depth_maps = filter_depths(views, std::move(estimates), options);
  result.cloud = fuse_depth_maps<DatasetView>(views, result.depth_maps, options.fusion);
  if (result.cloud.points_m.empty())
    throw method_error("fusion: the cloud is empty because other views confirm no depth");
  const bool water = looks_through_level_water(views.front().camera);
  result.mesh = reconstruct_surface(result.cloud, surface_of(options.surface, water));
  move_points(origin_m, result);
  return result;
}

DenseOptions dense_options(const Parameters& parameters) {
  DenseOptions options;
  const auto whole = [&](const char* name) { return static_cast<int>(parameters.integer(name)); };
  options.nearest_sources = whole("sources");
  options.passes = whole("passes");
  options.triangulation.min_pairs = whole("min_pairs");
  options.triangulation.max_residual_px = parameters.number("max_residual_px");
  options.refinement.iterations = whole("refine_iterations");
  options.refinement.window_px = whole("refine_window_px");
  options.refinement.smoothing_px = parameters.number("refine_smoothing_px");
  options.consistency.min_confidence = static_cast<float>(parameters.number("min_confidence"));
  options.consistency.depth_tolerance_m = parameters.number("depth_tolerance_m");
  options.consistency.min_views = whole("min_views");
  options.fusion = fusion_options(parameters);
  options.surface = surface_options(parameters);
  if (options.refinement.window_px % 2 == 0)
    throw usage_error("refine_window_px: must be odd and at least 3");
  return options;
}

Reconstruction run(const Observation& observation, const MethodInput& input) {
  const StageScope scope("pipeline");
  const DenseOptions options = dense_options(input.parameters);
  FlowOptions flow;
  flow.finest_scale = static_cast<int>(input.parameters.integer("finest_scale"));
  flow.is_refined = options.refinement.iterations > 0;
  flow.variational_iterations = static_cast<int>(input.parameters.integer("variational_iterations"));
  flow.forward_backward_tolerance_px = input.parameters.number("forward_backward_px");
  auto views = read_dataset_views(observation.dataset_dir, sparse::view_options_from(input.parameters));
  return reconstruct_densely(std::move(views), flow_matcher(flow), options);
}

Reconstruction run_torchscript(const Observation& observation, const MethodInput& input) {
  const StageScope whole("pipeline");
  DenseOptions options = dense_options(input.parameters);
  options.align = input.parameters.text("align") == "plane";
  const std::string& model = input.parameters.text("model");
  if (model.empty()) throw usage_error("torchscript.model: missing; add --set torchscript.model=FILE");
  PairMatcher matcher;
  {
    const StageScope scope("model_loading");
    const auto& table = module_table<TorchscriptTable>(Module::torch, "aqbench_torchscript_table",
                                                       &aqbench_torchscript_table);
    matcher = table.matcher(model, input.device, input.parameters.number("match_confidence"));
  }
  auto views = read_dataset_views(observation.dataset_dir, sparse::view_options_from(input.parameters));
  return reconstruct_densely(std::move(views), matcher, options);
}

}  // namespace aqbench::dense_flow
