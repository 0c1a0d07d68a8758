// Specs of the workloads that need LibTorch or OpenCV and run in the module `pipeline`.
#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/workloads/device_workload.h"
#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/step_ledger.h"
#include "pipeline/workloads/workload.h"
#include "pipeline/workloads/workloads_table.h"

namespace aqbench {
namespace {

std::string plane_sweep_skip_reason(const WorkloadInput& input) { return missing_code(input, "kernel"); }

std::string synthetic_skip_reason(const WorkloadInput& input) {
  return input.device == "cpu" ? "" : "synthetic_profile runs on the CPU only";
}

std::string equirect_views_skip_reason(const WorkloadInput& input) {
  if (opencl::is_opencl(input.device) && input.parameters.text("grid") == "rebuilt")
    return "grid rebuilt: OpenCL keeps the grid on the device";
  return device_skip_reason(input, false);
}

std::string equirect_pipeline_skip_reason(const WorkloadInput& input) {
  if (opencl::is_opencl(input.device)) return "equirect_pipeline has no code for OpenCL; equirect_views has";
  return missing_code(input, "variant");
}

std::vector<ParameterSpec> equirect_parameters() {
  const ViewGeometry usual;
  return {
      text_parameter("variant", "fused", "torch: grid_sample; fused: whole-number weights on bytes",
                     {"torch", "fused"}),
      count_parameter("width", "px", usual.frame_width_px, 16, 16384, "of a frame; even, the height is half"),
      count_parameter("frames", "1", 8, 1, 10000, "frames in the sequence"),
      count_parameter("view", "px", usual.view_px, 4, 4096, "width and height of a view"),
      number_parameter("fov_deg", "deg", usual.fov_deg, 10, 150, "field of view"),
      count_parameter("batch", "1", 4, 1, 1024, "frames a call"),
      text_parameter("grid", "cached", "sampling grid: made once, or for each batch", {"cached", "rebuilt"}),
      text_parameter("copy", "uint8", "variant torch: data type copied to the device", {"uint8", "float"})};
}

}  // namespace

WorkloadSpec plane_sweep_workload() {
  const plane_sweep::Options usual;
  return {.name = "plane_sweep",
          .summary = "the plane sweep's kernels on a textured plane under water",
          .parameters = {text_parameter("kernel", "fused", "implementation", plane_sweep::kernel_names()),
                         text_parameter("cost", "zncc", "how windows are compared",
                                        plane_sweep::cost_function_names()),
                         count_parameter("width", "px", 640, 16, 16384, "of all images"),
                         count_parameter("height", "px", 480, 16, 16384, "of all images"),
                         count_parameter("depths", "1", 64, plane_sweep::kMinDepths, plane_sweep::kMaxDepths,
                                         "hypotheses"),
                         count_parameter("sources", "1", 4, 1, 11, "views beside the reference"),
                         count_parameter("window", "px", usual.window_px, plane_sweep::kMinWindow_px,
                                         plane_sweep::kMaxWindow_px, "side of the window, odd"),
                         count_parameter("batch", "1", usual.batch, 1, plane_sweep::kMaxDepths,
                                         "hypotheses a call; kernel torch, and OpenCL")},
          .throughput_unit = "Mpx.depth.view/s",
          .dtype = "float32",
          .stages = {"build_cost_volume", "grid_sample_warp", "extract_depth", "device_build"},
          .batches = true,
          .pixel_identity = "unlike_reference_share",
          .prepare = [](const WorkloadInput& input) { return workloads_table().prepare_plane_sweep(input); },
          .skip_reason = plane_sweep_skip_reason};
}

WorkloadSpec synthetic_profile_workload() {
  return {.name = "synthetic_profile",
          .summary = "a small reconstruction pipeline in LibTorch, with tensor memory known stage by stage",
          .parameters = {count_parameter("width", "px", 1920, 128, 8192, "of each of the four frames"),
                         count_parameter("height", "px", 1080, 64, 8192, "of each of the four frames"),
                         count_parameter("depths", "1", 64, 8, 256, "depths that the sweep tries")},
          .throughput_unit = "Msamples/s",
          .dtype = "float32",
          .stages = {"undistortion", "sparse_matching", "depth_estimation", "extract_depth", "fusion",
                     "surface_reconstruction"},
          .batches = false,
          .prepare = [](const WorkloadInput& input) { return workloads_table().prepare_synthetic(input); },
          .skip_reason = synthetic_skip_reason};
}

WorkloadSpec equirect_views_workload() {
  std::vector<ParameterSpec> parameters = equirect_parameters();
  for (ParameterSpec& spec : device_parameters()) parameters.push_back(std::move(spec));
  return {
      .name = "equirect_views",
      .summary = "equirectangular frames to 8 perspective views, in memory",
      .parameters = std::move(parameters),
      .throughput_unit = "Mpx/s",
      .dtype = "float32 (torch), uint8 (fused)",
      .stages = {"stack", "copy", "sample", "convert", "device_build", "device_record"},
      .batches = true,
      .pixel_identity = "worst_error_levels",
      .prepare = [](const WorkloadInput& input) { return workloads_table().prepare_equirect_views(input); },
      .skip_reason = equirect_views_skip_reason};
}

WorkloadSpec equirect_pipeline_workload() {
  std::vector<ParameterSpec> parameters = equirect_parameters();
  parameters.insert(parameters.begin(),
                    {text_parameter("loader", "serial", "how frames are read",
                                    {"serial", "thread_pool", "ring", "prefetch", "ram_cache"}),
                     text_parameter("format", "png", "of the files", {"png", "jpeg"})});
  return {.name = "equirect_pipeline",
          .summary = "equirectangular frames to 8 perspective views, from files to files",
          .parameters = std::move(parameters),
          .throughput_unit = "Mpx/s",
          .dtype = "float32 (torch), uint8 (fused)",
          .stages = step_names(),
          .batches = true,
          .pixel_identity = "worst_error_levels",
          .prepare =
              [](const WorkloadInput& input) { return workloads_table().prepare_equirect_pipeline(input); },
          .skip_reason = equirect_pipeline_skip_reason};
}

}  // namespace aqbench
