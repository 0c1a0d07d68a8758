// The registry of workloads, the specs of those that run in the module `pipeline`, and what timed kernels on
// an OpenCL device have in common.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/module.h"
#include "core/parameters.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/workloads/equirect.h"

AQBENCH_MODULE_TABLE aqbench::WorkloadsTable aqbench_workloads_table;

namespace aqbench {
namespace {

// Returns why the implementation that a parameter chooses cannot run on the device, "" if it can: only
// `fused` has code for OpenCL, only `torch` for CUDA.
std::string missing_code(const WorkloadInput& input, const std::string& parameter) {
  const std::string& chosen = input.parameters.text(parameter);
  if (opencl::is_opencl(input.device))
    return chosen == "fused" ? "" : parameter + " " + chosen + " has no code for OpenCL; only fused has";
  return input.device == "cpu" || chosen == "torch" ? "" : parameter + " " + chosen + " runs on the CPU only";
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
          .skip_reason = [](const WorkloadInput& input) { return missing_code(input, "kernel"); }};
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
          .skip_reason = [](const WorkloadInput& input) -> std::string {
            return input.device == "cpu" ? "" : "synthetic_profile runs on the CPU only";
          }};
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
          .stages = {kStepNames.begin(), kStepNames.end()},
          .batches = true,
          .pixel_identity = "worst_error_levels",
          .prepare =
              [](const WorkloadInput& input) { return workloads_table().prepare_equirect_pipeline(input); },
          .skip_reason = equirect_pipeline_skip_reason};
}

}  // namespace

const std::vector<WorkloadSpec>& workload_registry() {
  static const std::vector<WorkloadSpec> table{
      absorption_workload(),     tricubic_workload(),          plane_sweep_workload(),
      equirect_views_workload(), equirect_pipeline_workload(), synthetic_profile_workload(),
  };
  return table;
}

const WorkloadSpec& find_workload(std::string_view name) {
  return find_named("workload", name, workload_registry());
}

bool Identity::holds() const { return std::abs(measured - expected) <= tolerance; }  // NaN fails

ParameterSpec variant_parameter() {
  return text_parameter("variant", "fused",
                        "torch: vectorised LibTorch, as in PyTorch; fused: one pass, also for OpenCL",
                        {"torch", "fused"});
}

const WorkloadsTable& workloads_table() {
  return module_table<WorkloadsTable>(Module::torch, "aqbench_workloads_table", &aqbench_workloads_table);
}

std::vector<ParameterSpec> device_parameters() {
  return {text_parameter("memory", "pageable", "OpenCL: host memory of copies, any or the driver's own",
                         {"pageable", "pinned"}),
          {"queues", "1", std::int64_t{1}, 1, 2, "OpenCL: two queues take the calls in turn", {}},
          text_parameter("submission", "enqueued",
                         "OpenCL: calls enqueued one by one, or recorded once and replayed",
                         {"enqueued", "recorded"})};
}

opencl::JobOptions job_options(const WorkloadInput& input) {
  return {.device = input.device,
          .pinned = input.parameters.text("memory") == "pinned",
          .queues = static_cast<int>(input.parameters.integer("queues")),
          .recorded = input.parameters.text("submission") == "recorded"};
}

std::string device_skip_reason(const WorkloadInput& input, bool doubles) {
  const opencl::JobOptions options = job_options(input);
  const bool on_device = opencl::is_opencl(input.device);
  if (!on_device && (options.pinned || options.queues > 1 || options.recorded))
    return "memory, queues and submission need an OpenCL device (--device opencl)";
  if (std::string missing = missing_code(input, "variant"); !on_device || !missing.empty()) return missing;
  const std::vector<opencl::DeviceInfo> devices = opencl::table().devices();
  const auto device = std::ranges::find(devices, input.device == "opencl" ? "opencl:0" : input.device,
                                        &opencl::DeviceInfo::name);
  if (device == devices.end()) return "no OpenCL device '" + input.device + "' is available";
  if (doubles && !device->doubles) return device->name + " has no double precision";
  if (options.recorded && !device->command_buffers)
    return device->name + " has no command buffers (cl_khr_command_buffer)";
  return {};
}

std::vector<WorkloadFigure> figures_of(const opencl::DeviceJob& job) {
  const opencl::JobTimes times = job.times();
  return {{"kernel_ms", times.kernel_ms}, {"copy_ms", times.copy_ms},     {"context_ms", times.context_ms},
          {"build_ms", times.build_ms},   {"record_ms", times.record_ms}, kernel_calls_figure(times.calls)};
}

}  // namespace aqbench
