#include "pipeline/plane_sweep/plane_sweep_method.h"

#include "pipeline/fusion/cloud_options.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench {

std::vector<ParameterSpec> plane_sweep_parameters() {
  using plane_sweep::cost_function_names, plane_sweep::kernel_names;
  std::vector<ParameterSpec> specs{
      count_parameter("depths", "1", 128, 3, 4096, "depth hypotheses of the sweep"),
      count_parameter("sources", "1", 5, 1, 64, "nearest cameras to compare each with, beside the centre"),
      count_parameter("window", "px", 0, 0, 31, "side of the matching window, odd; 0: window_at_1600"),
      count_parameter("window_at_1600", "px", 9, 3, 31,
                      "the same for images 1600 px wide; scaled for others, at least 7 px"),
      text_parameter("cost", "zncc", "matching cost", cost_function_names()),
      text_parameter("kernel", "fused", "implementation of the sweep", kernel_names()),
      count_parameter("batch", "1", 4, 1, 4096, "depth hypotheses a call: kernel torch, and OpenCL"),
      count_parameter("refinements", "1", 2, 0, 8, "refining passes, more above 1600 px wide (not torch)"),
      number_parameter("min_confidence", "1", 0.3, 0, 1, "depths below it are dropped"),
      count_parameter("min_views", "1", 3, 0, 64,
                      "other cameras that must confirm a depth, if there are so many"),
      number_parameter("depth_tolerance_m", "m", 0.002, 1e-6, 1,
                       "largest difference from a confirming depth; at least 0.3 pixels of depth"),
      text_parameter(
          "depth_range_m", "",
          "LOW:HIGH, the depths to search, along the ray from the water surface, or from the camera "
          "where there is none (default: from a sparse cloud)"),
  };
  const char* const voxel_help =
      "side of fusion's voxels: the spacing of the cloud; at least a quarter of a pixel on the surface";
  for (const auto& more :
       {fusion_parameters(voxel_help), surface_parameters(SurfaceMethod::poisson, false, 1e9),
        sparse::view_parameters(), sparse::parameters(kPlaneSweepSparsePrefix)})
    specs.insert(specs.end(), more.begin(), more.end());
  return specs;
}

std::vector<Preset> plane_sweep_presets() {
  return {
      {"balanced", {}},
      {"fast",
       {{"", "depths", "64"},
        {"", "sources", "4"},
        {"", "window_at_1600", "7"},
        {"", "batch", "8"},
        {"", "refinements", "1"},
        {"", "voxel_m", "0.002"},
        {"", "poisson_depth", "8"}}},
      {"quality",
       {{"", "depths", "256"},
        {"", "sources", "6"},
        {"", "window_at_1600", "11"},
        {"", "batch", "1"},
        {"", "refinements", "5"},
        {"", "voxel_m", "0.0005"},
        {"", "poisson_depth", "10"}}},
  };
}

std::vector<std::string> plane_sweep_stages() {
  return {"pipeline",         "image_reading",          "undistortion",     "sparse_matching",
          "triangulation",    "contrast_enhancement",   "depth_estimation", "build_cost_volume",
          "grid_sample_warp", "extract_depth",          "depth_refinement", "filtering",
          "fusion",           "surface_reconstruction", "device_build"};
}

}  // namespace aqbench
