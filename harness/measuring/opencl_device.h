#pragma once
// OpenCL devices for the harness: what a driver says of them, and the time that they are busy.

#include <optional>
#include <string>

#include "core/json.h"

namespace aqbench {

// Asks the drivers in a child process, since they start threads, after which a process must not fork. Returns
// a list of {"name", "model", "kind", "driver", "compiler", "memory_bytes", "double_precision",
// "command_buffers"}. Throws Error(input) where there is none, with the reason.
Json list_opencl_devices();

// Returns the entry of one device, "opencl" or "opencl:N", without its memory; {"reason"} if it cannot be
// used here.
Json describe_opencl_device(const std::string& device);

// Returns this reason, or nullopt.
std::optional<std::string> opencl_device_problem(const std::string& device);

// Returns how long kernels and copies that were waited for have run on devices in this process, milliseconds;
// nullopt if the module was not opened for its cases.
std::optional<double> opencl_busy_ms();

// Reports the buffers of devices from now on like tensor memory (tensor_memory.h), if the module is loaded.
void report_opencl_memory();

}  // namespace aqbench
