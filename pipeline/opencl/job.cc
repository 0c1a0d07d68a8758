#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "pipeline/opencl/device.h"

namespace aqbench::opencl {
namespace {

// The functions of cl_khr_command_buffer, found by name.
struct CommandBuffers {
  clCreateCommandBufferKHR_fn create;
  clFinalizeCommandBufferKHR_fn finalize;
  clReleaseCommandBufferKHR_fn release;
  clEnqueueCommandBufferKHR_fn enqueue;
  clCommandNDRangeKernelKHR_fn add_kernel;

  explicit CommandBuffers(cl_platform_id platform) {
    const auto find = [&]<class Function>(const char* name, Function& function) {
      function = reinterpret_cast<Function>(::clGetExtensionFunctionAddressForPlatform(platform, name));
      if (function == nullptr) throw method_error("OpenCL: this driver lacks {}", name);
    };
    find("clCreateCommandBufferKHR", create);
    find("clFinalizeCommandBufferKHR", finalize);
    find("clReleaseCommandBufferKHR", release);
    find("clEnqueueCommandBufferKHR", enqueue);
    find("clCommandNDRangeKernelKHR", add_kernel);
  }
};

// Host memory that the driver allocated, mapped for its lifetime.
std::shared_ptr<std::byte> pinned_memory(Device& device, std::size_t bytes) {
  const Buffer buffer(device, bytes, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
  cl_int status = CL_SUCCESS;
  void* const data = device.queue().enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                     buffer.bytes(), nullptr, nullptr, &status);
  require(status, "clEnqueueMapBuffer");
  return {static_cast<std::byte*>(data), [queue = device.queue(), buffer](std::byte* mapped) {
            queue.enqueueUnmapMemObject(buffer, mapped);
            queue.finish();
          }};
}

class Job final : public DeviceJob {
 public:
  explicit Job(const KernelJob& job);

  void run(const std::vector<std::span<const std::byte>>& inputs, std::span<std::byte> output) override;
  JobTimes times() const override { return times_; }

 private:
  // Items of a call. A kernel of its own for each: PoCL 3.1 replays the arguments that a kernel had last, not
  // the recorded ones.
  struct Call {
    std::size_t first, last;
    std::size_t queue;
    cl::Kernel kernel;
    Extent extent;
    std::shared_ptr<_cl_command_buffer_khr> recorded;
  };
  void record(Call& call);
  void launch(const Call& call);

  KernelJob job_;
  Device& device_;
  JobTimes times_;
  std::vector<Buffer> constants_, inputs_;
  Buffer output_;
  std::vector<std::shared_ptr<std::byte>> pinned_;  // of each input, then of the output
  std::optional<CommandBuffers> commands_;
  std::vector<Call> calls_;
};

Job::Job(const KernelJob& job) : job_(job), device_(open_device(job.options.device)) {
  times_.context_ms = device_.context_ms();
  const cl::Program& program = device_.program("workloads.cl", job_.defines, &times_.build_ms);
  for (const auto constant : job_.constants) constants_.push_back(device_.upload<std::byte>(constant));
  for (const std::size_t bytes : job_.input_bytes) inputs_.emplace_back(device_, job_.items * bytes);
  output_ = Buffer(device_, job_.items * job_.output_bytes);
  if (job_.options.pinned) {
    for (const Buffer& input : inputs_) pinned_.push_back(pinned_memory(device_, input.bytes()));
    pinned_.push_back(pinned_memory(device_, output_.bytes()));
  }
  for (std::size_t first = 0; first < job_.items; first += job_.batch) {
    const std::size_t last = std::min(first + job_.batch, job_.items);
    Call call{first,
              last,
              calls_.size() % static_cast<std::size_t>(job_.options.queues),
              kernel_of(program, job_.kernel.c_str(), static_cast<cl_int>(first), static_cast<cl_int>(last)),
              in_groups((last - first) * job_.work_per_item),
              nullptr};
    cl_uint index = 2;
    for (const auto* buffers : {&constants_, &inputs_})
      for (const Buffer& buffer : *buffers) require(call.kernel.setArg(index++, buffer), "clSetKernelArg");
    require(call.kernel.setArg(index, output_), "clSetKernelArg");
    calls_.push_back(std::move(call));
  }
  times_.calls = static_cast<std::int64_t>(calls_.size());
  if (!job_.options.recorded) return;
  const StageScope scope("device_record");
  const auto start = SteadyClock::now();
  commands_.emplace(device_.device().getInfo<CL_DEVICE_PLATFORM>());
  for (Call& call : calls_) record(call);
  times_.record_ms = ms_since(start);
}

void Job::record(Call& call) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = device_.queue(call.queue).get();
  call.recorded = {commands_->create(1, &queue, nullptr, &status), commands_->release};
  require(status, "clCreateCommandBufferKHR");
  constexpr std::size_t group[] = {kGroup, 1, 1};
  require(commands_->add_kernel(call.recorded.get(), nullptr, nullptr, call.kernel.get(), 3, nullptr,
                                call.extent.data(), group, 0, nullptr, nullptr, nullptr),
          "clCommandNDRangeKernelKHR");
  require(commands_->finalize(call.recorded.get()), "clFinalizeCommandBufferKHR");
}

void Job::launch(const Call& call) {
  if (call.recorded == nullptr) return device_.run(call.kernel, call.extent, call.queue);
  cl::Event event;
  require(commands_->enqueue(0, nullptr, call.recorded.get(), 0, nullptr, &event()),
          "clEnqueueCommandBufferKHR");
  device_.add(event, Work::kernel);
}

void Job::run(const std::vector<std::span<const std::byte>>& inputs, std::span<std::byte> output) {
  const double kernel_ms = device_.kernel_ms(), copy_ms = device_.copy_ms();
  for (const Call& call : calls_) {
    const auto part = [&](std::size_t bytes) {
      return std::pair{call.first * bytes, (call.last - call.first) * bytes};
    };
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto [offset, bytes] = part(job_.input_bytes[i]);
      const std::byte* from = inputs.at(i).data() + offset;
      if (!pinned_.empty()) {
        std::memcpy(pinned_[i].get() + offset, from, bytes);
        from = pinned_[i].get() + offset;
      }
      device_.write(inputs_[i], from, bytes, offset, call.queue);
    }
    launch(call);
    const auto [offset, bytes] = part(job_.output_bytes);
    device_.read((pinned_.empty() ? output.data() : pinned_.back().get()) + offset, output_, bytes, offset,
                 call.queue);
    device_.queue(call.queue).flush();
  }
  device_.finish();
  if (!pinned_.empty()) std::memcpy(output.data(), pinned_.back().get(), output.size());
  times_.kernel_ms = device_.kernel_ms() - kernel_ms;
  times_.copy_ms = device_.copy_ms() - copy_ms;
}

}  // namespace

std::unique_ptr<DeviceJob> make_job(const KernelJob& job) { return std::make_unique<Job>(job); }

}  // namespace aqbench::opencl
