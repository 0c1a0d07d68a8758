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

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"
#include "scenes/optics/refractive_camera.h"

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

// Depths of a map, metres along the ray, NaN = none, and their confidence or similarity, 0 where there is no
// depth; both [y][x].
using ScoredDepths = std::pair<std::vector<float>, std::vector<float>>;

// A plane sweep's reference view on a device: images and tables are copied once, at its creation.
class DeviceSweep {
 public:
  virtual ~DeviceSweep() = default;
  // Does what plane_sweep::run() does. Opens build_cost_volume and extract_depth.
  virtual plane_sweep::Result sweep() = 0;
  // Does what refine_depth_map() does (pipeline/depth_maps/refinement.h). Opens depth_refinement.
  virtual ScoredDepths refine(std::span<const float> guide_m, double step_m, double step_at_m) = 0;
};

// A depth map: spans are [y][x], metres along the ray, NaN = none.
struct DevicePlane {
  RefractiveCamera camera;
  std::span<const float> depth_m, confidence;
};

// When another map agrees with a depth (pipeline/depth_maps/consistency.h).
struct AgreementLimits {
  double min_confidence = 0, tolerance_m = 0, tolerance_per_m2 = 0;
};

// Depth maps on a device, copied once.
class DeviceMaps {
 public:
  virtual ~DeviceMaps() = default;
  // Returns for each pixel of a map how many other maps agree with its depth; 0 for a depth that is not
  // confident.
  virtual std::vector<int> agreeing_views(std::size_t reference, const AgreementLimits& limits) = 0;
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
  std::unique_ptr<DeviceMaps> (*make_maps)(const std::string& device, const std::vector<DevicePlane>& maps);
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

// Opens the module for this process's cases if it is installed. Starts no threads.
void open_if_installed();

// Returns the table if the module was opened for cases, otherwise nullptr.
const Table* opened_table();

}  // namespace aqbench::opencl
