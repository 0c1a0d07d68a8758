#include "pipeline/opencl/device.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"

namespace aqbench::opencl {
namespace {

constexpr std::size_t kMaxEvents = 4096;  // then waits, so that their memory stays bounded

std::atomic<void (*)(const void*, std::int64_t)> memory_report{nullptr};

void report_memory(const void* buffer, std::int64_t bytes) {
  if (const auto report = memory_report.load(); report != nullptr) report(buffer, bytes);
}

template <class Query>
std::string text_of(Query&& query) {
  std::size_t size = 0;
  if (query(0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (query(size, text.data(), nullptr) != CL_SUCCESS) return "";
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string device_text(cl_device_id id, cl_device_info what) {
  return text_of([&](std::size_t size, void* to, std::size_t* used) {
    return ::clGetDeviceInfo(id, what, size, to, used);
  });
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return text_of([&](std::size_t size, void* to, std::size_t* used) {
    return ::clGetPlatformInfo(platform, what, size, to, used);
  });
}

struct Found {
  cl_platform_id platform;
  cl_device_id id;
  DeviceInfo info;
};

DeviceInfo describe(cl_platform_id platform, cl_device_id id, std::size_t number) {
  DeviceInfo info;
  info.name = "opencl:" + std::to_string(number);
  info.model = device_text(id, CL_DEVICE_NAME);
  info.driver = device_text(id, CL_DRIVER_VERSION);
  info.compiler =
      platform_text(platform, CL_PLATFORM_NAME) + ", " + platform_text(platform, CL_PLATFORM_VERSION);
  cl_device_type type = 0;
  ::clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  info.kind = (type & CL_DEVICE_TYPE_GPU) != 0 ? "gpu" : (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu" : "other";
  cl_ulong bytes = 0;
  ::clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  info.memory_bytes = bytes;
  const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
  info.doubles = extensions.find("cl_khr_fp64") != std::string::npos;
  info.command_buffers = extensions.find("cl_khr_command_buffer") != std::string::npos;
  return info;
}

// A driver starts its threads at the first question: as many as the case has. What it compiles goes where a
// case may write.
void prepare_driver() {
  ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(thread_count()).c_str(), 1);
  if (const char* const temporary = ::getenv("TMPDIR"); temporary != nullptr)
    ::setenv("POCL_CACHE_DIR", (std::string(temporary) + "/pocl").c_str(), 1);
}

std::vector<Found> find_devices() {
  static const bool prepared = (prepare_driver(), true);
  static_cast<void>(prepared);
  std::vector<Found> found;
  cl_uint count = 0;
  if (::clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return found;  // no driver
  std::vector<cl_platform_id> platforms(count);
  require(::clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    if (::clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS || devices == 0)
      continue;
    std::vector<cl_device_id> ids(devices);
    require(::clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr), "clGetDeviceIDs");
    for (const cl_device_id id : ids) found.push_back({platform, id, describe(platform, id, found.size())});
  }
  return found;
}

std::map<std::string, std::unique_ptr<Device>>& open_devices() {
  // Never destroyed: drivers stop their threads in their own time.
  static auto* const devices = new std::map<std::string, std::unique_ptr<Device>>;
  return *devices;
}

double span_ms(cl_event event) {
  cl_ulong start = 0, end = 0;
  require(::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
          "clGetEventProfilingInfo");
  require(::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
          "clGetEventProfilingInfo");
  return end > start ? 1e-6 * static_cast<double>(end - start) : 0;
}

}  // namespace

void require(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
                      status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE;
  throw Error(ErrorKind::method, std::string("OpenCL: ") + call + " failed with error " +
                                     std::to_string(status) + (memory ? " (out of memory)" : ""));
}

Buffer::Buffer(Device& device, std::size_t bytes, cl_mem_flags flags)
    : bytes_(std::max<std::size_t>(bytes, 1)) {
  cl_int status = CL_SUCCESS;
  cl_mem const memory = ::clCreateBuffer(device.context(), flags, bytes_, nullptr, &status);
  require(status, "clCreateBuffer");
  const auto size = static_cast<std::int64_t>(bytes_);
  report_memory(memory, size);
  memory_ = {memory, [size](cl_mem given_back) {
               report_memory(given_back, -size);
               ::clReleaseMemObject(given_back);
             }};
}

Kernel::Kernel(cl_program program, const char* name) {
  cl_int status = CL_SUCCESS;
  cl_kernel const kernel = ::clCreateKernel(program, name, &status);
  require(status, "clCreateKernel");
  kernel_ = {kernel, ::clReleaseKernel};
}

Extent in_groups(std::size_t x, std::size_t y, std::size_t z) {
  return {(x + kGroup - 1) / kGroup * kGroup, y, z};
}

Device::Device(cl_platform_id platform, cl_device_id id, const DeviceInfo& info)
    : info_(info), platform_(platform), id_(id) {
  const StageScope scope("device_build");
  const auto start = SteadyClock::now();
  cl_int status = CL_SUCCESS;
  context_ = ::clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
  require(status, "clCreateContext");
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  for (cl_command_queue& queue : queues_) {
    queue = ::clCreateCommandQueueWithProperties(context_, id_, properties, &status);
    require(status, "clCreateCommandQueueWithProperties");
  }
  context_ms_ = 1e3 * seconds_since(start);
}

cl_program Device::program(const std::string& file, const Defines& defines, double* build_ms) {
  std::string options = "-cl-std=CL1.2";
  for (const auto& [name, value] : defines) options += " -D" + name + "=" + value;
  cl_program& program = programs_[file + options];
  if (build_ms != nullptr) *build_ms = 0;
  if (program != nullptr) return program;
  const StageScope scope("device_build");
  const auto start = SteadyClock::now();
  const char* source = source_of(file);
  cl_int status = CL_SUCCESS;
  cl_program made = ::clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  require(status, "clCreateProgramWithSource");
  if (::clBuildProgram(made, 1, &id_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    const std::string log = text_of([&](std::size_t size, void* to, std::size_t* used) {
      return ::clGetProgramBuildInfo(made, id_, CL_PROGRAM_BUILD_LOG, size, to, used);
    });
    ::clReleaseProgram(made);
    throw Error(ErrorKind::method, info_.name + " cannot compile " + file + ": " + log);
  }
  if (build_ms != nullptr) *build_ms = 1e3 * seconds_since(start);
  return program = made;
}

void Device::write(const Buffer& to, const void* from, std::size_t bytes, std::size_t offset,
                   std::size_t queue) {
  if (bytes == 0) return;
  cl_event event = nullptr;
  require(::clEnqueueWriteBuffer(queues_[queue], to.get(), CL_FALSE, offset, bytes, from, 0, nullptr, &event),
          "clEnqueueWriteBuffer");
  add(event, Work::copy);
}

void Device::read(void* to, const Buffer& from, std::size_t bytes, std::size_t offset, std::size_t queue) {
  if (bytes == 0) return;
  cl_event event = nullptr;
  require(::clEnqueueReadBuffer(queues_[queue], from.get(), CL_FALSE, offset, bytes, to, 0, nullptr, &event),
          "clEnqueueReadBuffer");
  add(event, Work::copy);
}

void Device::fill(const Buffer& buffer, float value) {
  cl_event event = nullptr;
  require(::clEnqueueFillBuffer(queues_[0], buffer.get(), &value, sizeof value, 0, buffer.bytes(), 0, nullptr,
                                &event),
          "clEnqueueFillBuffer");
  add(event, Work::copy);
}

void Device::run(const Kernel& kernel, const Extent& extent, std::size_t queue) {
  constexpr std::size_t group[] = {kGroup, 1, 1};
  cl_event event = nullptr;
  require(::clEnqueueNDRangeKernel(queues_[queue], kernel.get(), static_cast<cl_uint>(extent.size()), nullptr,
                                   extent.data(), group, 0, nullptr, &event),
          "clEnqueueNDRangeKernel");
  add(event, Work::kernel);
}

void Device::add(cl_event event, Work work) {
  events_.emplace_back(event, work);
  if (events_.size() >= kMaxEvents) finish();
}

void Device::finish() {
  cl_int failure = CL_SUCCESS;
  for (const cl_command_queue queue : queues_)
    if (const cl_int status = ::clFinish(queue); status != CL_SUCCESS) failure = status;
  for (const auto& [event, work] : events_) {
    cl_int status = CL_COMPLETE;
    ::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status < 0) failure = status;
    if (failure == CL_SUCCESS) (work == Work::kernel ? kernel_ms_ : copy_ms_) += span_ms(event);
    ::clReleaseEvent(event);
  }
  events_.clear();
  require(failure, "a command");
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  for (Found& found : find_devices()) devices.push_back(std::move(found.info));
  return devices;
}

Device& open_device(const std::string& name) {
  const std::string wanted = name == "opencl" ? "opencl:0" : name;
  std::unique_ptr<Device>& device = open_devices()[wanted];
  if (device != nullptr) return *device;
  for (const Found& found : find_devices())
    if (found.info.name == wanted) device = std::make_unique<Device>(found.platform, found.id, found.info);
  if (device == nullptr)
    throw Error(ErrorKind::usage,
                "device '" + name + "' does not exist; `aqbench list devices` names those that do");
  return *device;
}

double busy_ms() {
  double sum = 0;
  for (const auto& [name, device] : open_devices()) {
    if (device != nullptr) sum += device->kernel_ms() + device->copy_ms();
  }
  return sum;
}

void report_memory_to(void (*report)(const void*, std::int64_t)) { memory_report = report; }

}  // namespace aqbench::opencl
