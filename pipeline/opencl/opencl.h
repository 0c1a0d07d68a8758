#pragma once
// OpenCL devices: the plane sweep's maps and timed kernels on one. The code is in the module `opencl`
// (core/module.h), which is opened when a case, or `aqbench list devices`, asks for a device.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::opencl {

// A device, as its driver describes it.
struct DeviceInfo {
  std::string name;      // "opencl:0"
  std::string model;     // "NVIDIA H100 80GB HBM3"
  std::string kind;      // "cpu", "gpu" or "other"
  std::string driver;    // its version
  std::string compiler;  // the platform and its version, which names the compiler where it is a library
  std::uint64_t memory_bytes = 0;
  bool doubles = false;          // double precision
  bool command_buffers = false;  // cl_khr_command_buffer
};

// A plane sweep's reference view on a device. Images are copied once, from its creation on: they must live
// until its first result.
class DeviceSweep {
 public:
  virtual ~DeviceSweep() = default;
  // Does what plane_sweep::run() does. Opens build_cost_volume and extract_depth.
  virtual plane_sweep::Result sweep() = 0;
  // Does what refine_depth_map() does (pipeline/depth_maps/depth_maps.h). Opens depth_refinement.
  virtual plane_sweep::RefinedDepth refine(std::span<const float> guide_m, double step_m,
                                           double step_at_m) = 0;
};

// How the calls of a timed kernel reach the device.
struct JobOptions {
  std::string device = "opencl";
  bool pinned = false;    // host memory of transfers: the driver's (CL_MEM_ALLOC_HOST_PTR), or any
  int queues = 1;         // 2: calls alternate, so that one's copies overlap the other's kernel
  bool recorded = false;  // calls are recorded once as command buffers and replayed
};

// A kernel of workloads.cl over many items, `batch` items a call. Its arguments are the first and the last
// item of a call, the constants, the inputs and the output.
struct KernelJob {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> defines;  // generated constants
  std::size_t items = 0, batch = 1;
  std::size_t work_per_item = 1;                           // work items of the device
  std::vector<std::span<const std::byte>> constants = {};  // copied at the creation
  std::vector<std::size_t> input_bytes = {};               // of an item in each input
  std::size_t output_bytes = 0;                            // of an item
  JobOptions options = {};
};

// Times of the last run, milliseconds, and calls. Context, building and recording happen once, before the
// first run.
struct JobTimes {
  double kernel_ms = 0, copy_ms = 0;  // by the device's events
  double context_ms = 0, build_ms = 0, record_ms = 0;
  std::int64_t calls = 0;
};

// A KernelJob on its device: built, with its buffers.
class DeviceJob {
 public:
  virtual ~DeviceJob() = default;
  // Copies the inputs, runs all calls and copies the output back. inputs: all items of each.
  virtual void run(const std::vector<std::span<const std::byte>>& inputs, std::span<std::byte> output) = 0;
  virtual JobTimes times() const = 0;
};

// The module's functions. They throw Error(usage) for a device that does not exist, Error(method) where
// OpenCL fails.
struct Table {
  std::vector<DeviceInfo> (*devices)();
  std::unique_ptr<DeviceSweep> (*make_sweep)(const plane_sweep::Input& input,
                                             const plane_sweep::Options& options);
  // Returns for each map, pixel by pixel, how many others agree with its depth; 0 for a depth that is not
  // confident. Copies each map once.
  std::vector<std::vector<int>> (*agreeing_views)(std::span<const plane_sweep::DepthView> maps,
                                                  const plane_sweep::ConsistencyOptions& options);
  std::unique_ptr<DeviceJob> (*make_job)(const KernelJob& job);
  // Returns how long kernels and copies that were waited for have run on all devices in this process,
  // milliseconds.
  double (*busy_ms)();
  // Reports buffers taken (bytes > 0) and given back (< 0) from now on.
  void (*report_memory_to)(void (*report)(const void* buffer, std::int64_t bytes));
};

// Returns whether a name stands for an OpenCL device: "opencl" (the first one) or "opencl:N".
bool is_opencl(std::string_view device);

// Returns the table, opening the module if necessary. Throws Error(input) if it is not installed.
const Table& table();

// Returns a number as a constant of OpenCL C, exact in double or single precision.
std::string constant_text(double value, bool single = false);

// Opens the module for this process's cases if it is installed and finds the loader. Starts no threads.
void open_if_possible();

// Returns the table if the module was opened for cases, otherwise nullptr.
const Table* opened_table();

}  // namespace aqbench::opencl
