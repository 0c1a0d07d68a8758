#include "pipeline/dense_flow/dense_flow_method.h"

#include "core/stage_scope.h"
#include "pipeline/sparse/sparse_method.h"

namespace aqbench::dense_flow {

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
  check(options);
  return options;
}

Reconstruction run(const Observation& observation, const MethodInput& input) {
  const StageScope scope("pipeline");
  const DenseOptions options = dense_options(input.parameters);
  FlowOptions flow;
  flow.finest_scale = static_cast<int>(input.parameters.integer("finest_scale"));
  flow.variational_iterations = static_cast<int>(input.parameters.integer("variational_iterations"));
  flow.forward_backward_tolerance_px = input.parameters.number("forward_backward_px");
  const auto views = read_dataset_views(observation.dataset_dir, sparse::view_options_from(input.parameters));
  return reconstruct_densely(views, flow_matcher(flow), options);
}

}  // namespace aqbench::dense_flow
