#include "pipeline/dense_flow/dense_flow.h"

#include "pipeline/fusion/cloud_options.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::dense_flow {

std::vector<ParameterSpec> dense_parameters() {
  std::vector<ParameterSpec> specs = {
      count_parameter("sources", "1", 4, 1, 64, "nearest cameras to match each with, besides auxiliary ones"),
      count_parameter("passes", "1", 1, 1, 10,
                      "matching passes; each but the first warps the sources by the depths found before"),
      count_parameter("min_pairs", "1", 2, 1, 64, "sources whose rays must agree on a depth"),
      number_parameter("max_residual_px", "px", 1.5, 0.01, 100,
                       "a source agrees if its ray passes this close"),
      count_parameter("refine_iterations", "1", 6, 0, 100,
                      "steps of the refinement on all sources at once; 0: none"),
      count_parameter("refine_window_px", "px", 7, 3, 101, "side of its windows, odd"),
      number_parameter("refine_smoothing_px", "px", 1.5, 0.3, 100,
                       "Gaussian smoothing of the depths before each step"),
      number_parameter("min_confidence", "1", 0.1, 0, 1, "depths below are left out"),
      number_parameter("depth_tolerance_m", "m", 0.005, 1e-6, 1, "another view confirms a depth within this"),
      count_parameter("min_views", "1", 2, 0, 64, "other views that must confirm a depth"),
  };
  for (const auto& more :
       {fusion_parameters("voxel of the fused cloud"),
        surface_parameters(SurfaceMethod::heightfield, true, 2147483647), sparse::view_parameters()})
    specs.insert(specs.end(), more.begin(), more.end());
  return specs;
}

std::vector<std::string> dense_stages() {
  return {"pipeline",       "image_reading",         "undistortion",     "contrast_enhancement",
          "depth_range",    "sparse_matching",       "depth_estimation", "build_cost_volume",
          "dense_matching", "triangulation",         "depth_refinement", "filtering",
          "fusion",         "surface_reconstruction"};
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = {
      count_parameter(
          "finest_scale", "1", 0, 0, 5,
          "the flow is found down to images of 1 / 2^finest_scale, of less than 1280 px if depths "
          "are refined"),
      count_parameter("variational_iterations", "1", 5, 0, 100, "of the flow's variational refinement"),
      number_parameter("forward_backward_px", "px", 1.0, 0.01, 100, "largest forward-backward difference"),
  };
  for (ParameterSpec& spec : dense_parameters()) specs.push_back(std::move(spec));
  return specs;
}

std::vector<Preset> presets() {
  return {
      {"balanced", {}},
      {"fast",
       {{"", "finest_scale", "1"},
        {"", "refine_iterations", "2"},
        {"", "refine_window_px", "9"},
        {"", "voxel_m", "0.002"},
        {"", "poisson_depth", "8"}}},
      {"quality",
       {{"", "passes", "2"},
        {"", "refine_iterations", "10"},
        {"", "voxel_m", "0.0005"},
        {"", "poisson_depth", "10"}}},
  };
}

std::vector<ParameterSpec> torchscript_parameters() {
  std::vector<ParameterSpec> specs = {
      text_parameter("model", "", "file written by torch.jit.save; docs/methods.md has the signature"),
      text_parameter("align", "plane", "plane: warp sources to the reference first; none: original images",
                     {"plane", "none"}),
      number_parameter("match_confidence", "1", 0.1, 0, 1, "matches below are left out"),
  };
  for (ParameterSpec& spec : dense_parameters()) {
    // Shows the matcher's result, without refinement.
    if (spec.name == "refine_iterations") spec.default_value = std::int64_t{0};
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::vector<std::string> torchscript_stages() {
  std::vector<std::string> stages = dense_stages();
  stages.insert(stages.begin() + 1, "model_loading");
  return stages;
}

}  // namespace aqbench::dense_flow
