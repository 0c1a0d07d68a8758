#include "pipeline/workloads/device_workload.h"

#include <algorithm>

namespace aqbench {

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

std::string missing_code(const WorkloadInput& input, const std::string& parameter) {
  const std::string& chosen = input.parameters.text(parameter);
  if (opencl::is_opencl(input.device))
    return chosen == "fused" ? "" : parameter + " " + chosen + " has no code for OpenCL; only fused has";
  return input.device == "cpu" || chosen == "torch" ? "" : parameter + " " + chosen + " runs on the CPU only";
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
  return {{"kernel_ms", times.kernel_ms},   {"copy_ms", times.copy_ms},
          {"context_ms", times.context_ms}, {"build_ms", times.build_ms},
          {"record_ms", times.record_ms},   {std::string(kKernelCalls), static_cast<double>(times.calls)}};
}

}  // namespace aqbench
