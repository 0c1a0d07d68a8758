#include "pipeline/opencl/device.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>

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

DeviceInfo describe(const cl::Device& device, std::size_t number) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  return {.name = "opencl:" + std::to_string(number),
          .model = device.getInfo<CL_DEVICE_NAME>(),
          .kind = (type & CL_DEVICE_TYPE_GPU) != 0   ? "gpu"
                  : (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu"
                                                     : "other",
          .driver = device.getInfo<CL_DRIVER_VERSION>(),
          .compiler = platform.getInfo<CL_PLATFORM_NAME>() + ", " + platform.getInfo<CL_PLATFORM_VERSION>(),
          .memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>(),
          .doubles = extensions.find("cl_khr_fp64") != std::string::npos,
          .command_buffers = extensions.find("cl_khr_command_buffer") != std::string::npos};
}

// A driver starts its threads at the first question: as many as the case has. What it compiles goes where a
// case may write.
void prepare_driver() {
  ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(thread_count()).c_str(), 1);
  if (const char* const temporary = ::getenv("TMPDIR"); temporary != nullptr)
    ::setenv("POCL_CACHE_DIR", (std::string(temporary) + "/pocl").c_str(), 1);
}

std::vector<cl::Device> find_devices() {
  static const bool prepared = (prepare_driver(), true);
  static_cast<void>(prepared);
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);  // fails where there is no driver
  std::vector<cl::Device> found;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    found.insert(found.end(), devices.begin(), devices.end());
  }
  return found;
}

std::map<std::string, std::unique_ptr<Device>>& open_devices() {
  // Never destroyed: drivers stop their threads in their own time.
  static auto* const devices = new std::map<std::string, std::unique_ptr<Device>>;
  return *devices;
}

double span_ms(const cl::Event& event) {
  cl_ulong start = 0, end = 0;
  require(event.getProfilingInfo(CL_PROFILING_COMMAND_START, &start), "clGetEventProfilingInfo");
  require(event.getProfilingInfo(CL_PROFILING_COMMAND_END, &end), "clGetEventProfilingInfo");
  return end > start ? 1e-6 * static_cast<double>(end - start) : 0;
}

}  // namespace

void require(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
                      status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE;
  throw method_error("OpenCL: {} failed with error {}{}", call, status, memory ? " (out of memory)" : "");
}

Buffer::Buffer(Device& device, std::size_t bytes, cl_mem_flags flags, const void* contents)
    : bytes_(std::max<std::size_t>(bytes, 1)) {
  cl_int status = CL_SUCCESS;
  if (bytes == 0) contents = nullptr;
  if (contents != nullptr) flags |= CL_MEM_COPY_HOST_PTR;
  cl::Buffer::operator=(cl::Buffer(device.context(), flags, bytes_, const_cast<void*>(contents), &status));
  require(status, "clCreateBuffer");
  const auto size = static_cast<std::int64_t>(bytes_);
  report_memory(get(), size);
  reported_ = {get(), [size](const void* memory) { report_memory(memory, -size); }};
}

Extent in_groups(std::size_t x, std::size_t y, std::size_t z) {
  return {(x + kGroup - 1) / kGroup * kGroup, y, z};
}

Device::Device(const cl::Device& device, const std::string& name) : device_(device), name_(name) {
  const StageScope scope("device_build");
  const auto start = SteadyClock::now();
  cl_int status = CL_SUCCESS;
  context_ = cl::Context(device_, nullptr, nullptr, nullptr, &status);
  require(status, "clCreateContext");
  for (cl::CommandQueue& queue : queues_) {
    queue = cl::CommandQueue(context_, device_, cl::QueueProperties::Profiling, &status);
    require(status, "clCreateCommandQueueWithProperties");
  }
  context_ms_ = ms_since(start);
}

const cl::Program& Device::program(const std::string& file, const Defines& defines, double* build_ms) {
  std::string options = "-cl-std=CL1.2";
  for (const auto& [name, value] : defines) options += " -D" + name + "=" + value;
  if (build_ms != nullptr) *build_ms = 0;
  const auto known = programs_.find(file + options);
  if (known != programs_.end()) return known->second;
  const StageScope scope("device_build");
  const auto start = SteadyClock::now();
  const cl::Program program(context_, std::string(source_of(file)));
  if (program.build(device_, options.c_str()) != CL_SUCCESS)
    throw method_error("{} cannot compile {}: {}", name_, file,
                       program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_));
  if (build_ms != nullptr) *build_ms = ms_since(start);
  return programs_[file + options] = program;
}

cl::Event Device::write(const Buffer& to, const void* from, std::size_t bytes, std::size_t offset,
                        std::size_t queue) {
  cl::Event event;
  if (bytes == 0) return event;
  require(queues_[queue].enqueueWriteBuffer(to, CL_FALSE, offset, bytes, from, nullptr, &event),
          "clEnqueueWriteBuffer");
  add(event, Work::copy);
  return event;
}

Buffer Device::send(std::span<const float> values, std::size_t queue, cl::Event* sent) {
  Buffer buffer(*this, values.size_bytes(), CL_MEM_READ_ONLY);
  cl::Event event = write(buffer, values.data(), values.size_bytes(), 0, queue);
  if (sent != nullptr) *sent = std::move(event);
  queues_[queue].flush();
  return buffer;
}

void Device::wait_for(const cl::Event& event) {
  const std::vector<cl::Event> events{event};
  require(queues_[0].enqueueBarrierWithWaitList(&events), "clEnqueueBarrierWithWaitList");
}

void Device::read(void* to, const Buffer& from, std::size_t bytes, std::size_t offset, std::size_t queue) {
  if (bytes == 0) return;
  cl::Event event;
  require(queues_[queue].enqueueReadBuffer(from, CL_FALSE, offset, bytes, to, nullptr, &event),
          "clEnqueueReadBuffer");
  add(event, Work::copy);
}

void Device::fill(const Buffer& buffer, float value) {
  cl::Event event;
  require(queues_[0].enqueueFillBuffer(buffer, value, 0, buffer.bytes(), nullptr, &event),
          "clEnqueueFillBuffer");
  add(event, Work::copy);
}

void Device::run(const cl::Kernel& kernel, const Extent& extent, std::size_t queue) {
  cl::Event event;
  require(
      queues_[queue].enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(extent[0], extent[1], extent[2]),
                                          cl::NDRange(kGroup, 1, 1), nullptr, &event),
      "clEnqueueNDRangeKernel");
  add(event, Work::kernel);
}

void Device::add(const cl::Event& event, Work work) {
  events_.emplace_back(event, work);
  if (events_.size() >= kMaxEvents) finish();
}

void Device::finish() {
  cl_int failure = CL_SUCCESS;
  for (const cl::CommandQueue& queue : queues_)
    if (const cl_int status = queue.finish(); status != CL_SUCCESS) failure = status;
  for (const auto& [event, work] : std::exchange(events_, {})) {
    if (const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(); status < 0)
      failure = status;
    if (failure == CL_SUCCESS) (work == Work::kernel ? kernel_ms_ : copy_ms_) += span_ms(event);
  }
  require(failure, "a command");
}

void Device::drain() {
  for (const cl::CommandQueue& queue : queues_) queue.finish();
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> list;
  for (const cl::Device& device : find_devices()) list.push_back(describe(device, list.size()));
  return list;
}

Device& open_device(const std::string& name) {
  const std::string wanted = name == "opencl" ? "opencl:0" : name;
  std::unique_ptr<Device>& device = open_devices()[wanted];
  if (device != nullptr) return *device;
  const std::vector<cl::Device> found = find_devices();
  for (std::size_t i = 0; i < found.size(); ++i)
    if (wanted == "opencl:" + std::to_string(i)) device = std::make_unique<Device>(found[i], wanted);
  if (device == nullptr)
    throw usage_error("device '{}' does not exist; `aqbench list devices` names those that do", name);
  return *device;
}

double busy_ms() {
  double sum = 0;
  for (const auto& [name, device] : open_devices())
    if (device != nullptr) sum += device->kernel_ms() + device->copy_ms();
  return sum;
}

void report_memory_to(void (*report)(const void*, std::int64_t)) { memory_report = report; }

}  // namespace aqbench::opencl

// The table of the module `opencl`.
extern "C" const aqbench::opencl::Table aqbench_opencl_table;
const aqbench::opencl::Table aqbench_opencl_table = {.devices = &aqbench::opencl::list_devices,
                                                     .make_sweep = &aqbench::opencl::make_sweep,
                                                     .agreeing_views = &aqbench::opencl::agreeing_views,
                                                     .make_job = &aqbench::opencl::make_job,
                                                     .busy_ms = &aqbench::opencl::busy_ms,
                                                     .report_memory_to = &aqbench::opencl::report_memory_to};
