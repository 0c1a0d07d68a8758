#pragma once
// One OpenCL device of this process: context, queues, programs, and what its events measured.

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_ENABLE_BETA_EXTENSIONS  // command buffers
#include <CL/opencl.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/opencl/opencl.h"

namespace aqbench::opencl {

// Throws Error(method) naming the call unless the status is CL_SUCCESS.
void require(cl_int status, const char* call);

// Returns the text of a source file of this folder, which is built into the module: "plane_sweep.cl".
const char* source_of(const std::string& file);

using Defines = std::vector<std::pair<std::string, std::string>>;

// What happens on a device: for the sums of times.
enum class Work { kernel, copy };

class Device;

// Memory of a device, reported while it exists; copies share it.
class Buffer : public cl::Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE,
         const void* contents = nullptr);
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::shared_ptr<const void> reported_;
};

// Returns a kernel with its arguments: buffers, int and float.
template <class... Arguments>
cl::Kernel kernel_of(const cl::Program& program, const char* name, const Arguments&... arguments) {
  cl_int status = CL_SUCCESS;
  cl::Kernel kernel(program, name, &status);
  require(status, "clCreateKernel");
  cl_uint index = 0;
  (require(kernel.setArg(index++, arguments), "clSetKernelArg"), ...);
  return kernel;
}

// Work items of a kernel in up to three dimensions, the first rounded up to whole groups.
using Extent = std::array<std::size_t, 3>;
inline constexpr std::size_t kGroup = 64;
Extent in_groups(std::size_t x, std::size_t y = 1, std::size_t z = 1);

// A device in use. One thread at a time.
class Device {
 public:
  Device(const cl::Device& device, const std::string& name);

  const cl::Device& device() const { return device_; }
  const cl::Context& context() const { return context_; }
  const cl::CommandQueue& queue(std::size_t index = 0) const { return queues_[index]; }
  double context_ms() const { return context_ms_; }

  // Returns a program of one source file with these constants, built at its first use (stage device_build).
  // Sets build_ms to the time that this call spent on it.
  const cl::Program& program(const std::string& file, const Defines& defines, double* build_ms = nullptr);

  // Copies to and from the device without waiting; the memory must live until finish().
  cl::Event write(const Buffer& to, const void* from, std::size_t bytes, std::size_t offset = 0,
                  std::size_t queue = 0);
  void read(void* to, const Buffer& from, std::size_t bytes, std::size_t offset = 0, std::size_t queue = 0);
  // Does the same into a new buffer; `sent` is when it is there.
  Buffer send(std::span<const float> values, std::size_t queue = 0, cl::Event* sent = nullptr);
  // Lets the first queue wait for an event of the other one.
  void wait_for(const cl::Event& event);
  // Copies a table to a new buffer at once.
  template <class Value>
  Buffer upload(std::span<const Value> values) {
    return {*this, values.size_bytes(), CL_MEM_READ_ONLY, values.data()};
  }
  void fill(const Buffer& buffer, float value);
  void run(const cl::Kernel& kernel, const Extent& extent, std::size_t queue = 0);

  // Counts something enqueued elsewhere.
  void add(const cl::Event& event, Work work);

  // Waits for everything enqueued and adds up its times. Throws Error(method) if something failed.
  void finish();
  // Waits for everything enqueued, whatever becomes of it.
  void drain();
  // Milliseconds since the device was opened, by its events, up to the last finish().
  double kernel_ms() const { return kernel_ms_; }
  double copy_ms() const { return copy_ms_; }

 private:
  cl::Device device_;
  std::string name_;
  cl::Context context_;
  std::array<cl::CommandQueue, 2> queues_;
  std::map<std::string, cl::Program> programs_;
  std::vector<std::pair<cl::Event, Work>> events_;
  double context_ms_ = 0, kernel_ms_ = 0, copy_ms_ = 0;
};

// Returns the devices of all platforms, in the drivers' order.
std::vector<DeviceInfo> list_devices();

// Returns a device, opened once in a process. Throws Error(usage) if there is none of that name.
Device& open_device(const std::string& name);

// The functions of the module (opencl.h).
std::unique_ptr<DeviceSweep> make_sweep(const plane_sweep::Input& input, const plane_sweep::Options& options);
std::vector<std::vector<int>> agreeing_views(std::span<const plane_sweep::DepthView> maps,
                                             const plane_sweep::ConsistencyOptions& options);
std::unique_ptr<DeviceJob> make_job(const KernelJob& job);
double busy_ms();
void report_memory_to(void (*report)(const void* buffer, std::int64_t bytes));

}  // namespace aqbench::opencl
