#pragma once
// What timed kernels on an OpenCL device have in common: how their calls reach it, and its times.

#include <string>
#include <vector>

#include "pipeline/opencl/opencl.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Returns the parameters `memory` (pageable or pinned), `queues` (1 or 2) and `submission` (enqueued or
// recorded).
std::vector<ParameterSpec> device_parameters();

// Returns these parameters' values and the device.
opencl::JobOptions job_options(const WorkloadInput& input);

// Returns why the implementation that a parameter chooses cannot run on the device, "" if it can: only
// `fused` has code for OpenCL, only `torch` for CUDA.
std::string missing_code(const WorkloadInput& input, const std::string& parameter);

// Returns the same for the parameter `variant` and those above: they need OpenCL, recorded calls a driver
// with command buffers. `doubles`: the kernel needs double precision.
std::string device_skip_reason(const WorkloadInput& input, bool doubles);

// Returns the figures of a job's last run: "kernel_ms", "copy_ms", "context_ms", "build_ms", "record_ms",
// kKernelCalls.
std::vector<WorkloadFigure> figures_of(const opencl::DeviceJob& job);

}  // namespace aqbench
