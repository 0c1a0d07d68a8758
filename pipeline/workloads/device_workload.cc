#include "pipeline/workloads/device_workload.h"

#include <algorithm>

namespace aqbench {

std::vector<ParameterSpec> device_parameters() {
  return {{"memory",
           "",
           std::string("pageable"),
           0,
           0,
           "OpenCL: host memory of copies, any or the driver's own",
           {"pageable", "pinned"}},
          {"queues", "1", std::int64_t{1}, 1, 2, "OpenCL: two queues take the calls in turn", {}},
          {"submission",
           "",
           std::string("enqueued"),
           0,
           0,
           "OpenCL: calls enqueued one by one, or recorded once and replayed",
           {"enqueued", "recorded"}}};
}

opencl::JobOptions job_options(const WorkloadInput& input) {
  return {.device = input.device,
          .pinned = input.parameters.text("memory") == "pinned",
          .queues = static_cast<int>(input.parameters.integer("queues")),
          .recorded = input.parameters.text("submission") == "recorded"};
}

std::string device_skip_reason(const WorkloadInput& input, bool doubles) {
  const std::string& variant = input.parameters.text("variant");
  const opencl::JobOptions options = job_options(input);
  if (!opencl::is_opencl(input.device)) {
    if (options.pinned || options.queues > 1 || options.recorded)
      return "memory, queues and submission need an OpenCL device (--device opencl)";
    return input.device != "cpu" && variant != "torch" ? "variant " + variant + " runs on the CPU only" : "";
  }
  if (variant != "fused") return "variant " + variant + " has no code for OpenCL; only fused has";
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
