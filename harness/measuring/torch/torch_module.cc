// The part of the module `pipeline` that measures LibTorch.
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <dlfcn.h>

#if __has_include(<cuda_runtime_api.h>) && __has_include(<ATen/cuda/CUDAEvent.h>)
#define AQBENCH_HAS_CUDA_EVENTS 1
#include <ATen/cuda/CUDAEvent.h>
#else
#define AQBENCH_HAS_CUDA_EVENTS 0
#endif

#include <memory>
#include <utility>
#include <vector>

#include "core/stage_scope.h"
#include "harness/measuring/tensor_memory.h"
#include "harness/measuring/torch_table.h"

namespace aqbench {
namespace {

void set_threads(int count) { at::set_num_threads(count); }
int threads() { return at::get_num_threads(); }

bool has_cuda_device() {
  const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
  return hooks.hasCUDA() && hooks.getNumGPUs() > 0;
}

// The totals are int64_t in LibTorch 1.13 and size_t in 2.x: deduced from the overridden function.
template <class Function>
class MemoryReporterOf;
template <class Base, class Total>
class MemoryReporterOf<void (Base::*)(void*, std::int64_t, Total, Total, c10::Device)> final : public Base {
 public:
  void reportMemoryUsage(void* block, std::int64_t bytes, Total, Total, c10::Device) override {
    report_tensor_memory(block, bytes);
  }
  bool memoryProfilingEnabled() const override { return is_tensor_memory_watched(); }
};
using MemoryReporter = MemoryReporterOf<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>;

void report_memory_here() {
  thread_local bool reports = false;
  if (reports) return;
  static const auto reporter = std::make_shared<MemoryReporter>();
  // Never removed: it asks for the listener at each use.
  c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, reporter);
  reports = true;
}

bool report_memory_of_pool() {
  // Looked up by name: LibTorch chooses the OpenMP library, and this file is compiled without OpenMP.
  using RunOnPool = void (*)(void (*)(void*), void*, unsigned threads, unsigned flags);
  static void* const symbol = ::dlsym(RTLD_DEFAULT, "GOMP_parallel");
  if (symbol == nullptr) return false;
  const auto count = static_cast<unsigned>(at::get_num_threads());
  reinterpret_cast<RunOnPool>(symbol)([](void*) { report_memory_here(); }, nullptr, count, 0);
  return true;
}

// The observer that saw the start gets the end.
struct ObservedRange final : at::ObserverContext {
  explicit ObservedRange(StageObserver* seen_by) : observer(seen_by) {}
  StageObserver* observer;
};

std::unique_ptr<at::ObserverContext> range_begins(const at::RecordFunction& range) {
  StageObserver* const observer = detail::stage_observer.load(std::memory_order_acquire);
  if (observer == nullptr) return nullptr;
  auto observed = std::make_unique<ObservedRange>(observer);
  // LibTorch swallows exceptions here; a refused range then has no end either.
  observer->enter(range.name());
  return observed;
}

void range_ends(const at::RecordFunction& range, at::ObserverContext* context) {
  if (context != nullptr) static_cast<ObservedRange*>(context)->observer->leave(range.name());
}

std::uint64_t add_user_scopes() {
  return at::addGlobalCallback(
      at::RecordFunctionCallback(&range_begins, &range_ends).scopes({at::RecordScope::USER_SCOPE}));
}

void remove_user_scopes(std::uint64_t handle) { at::removeCallback(handle); }

#if AQBENCH_HAS_CUDA_EVENTS

constexpr std::size_t kWaitingSpans = 1024;  // then waits for the device, so that memory stays bounded

class CudaEventTimer final : public DeviceTimer {
 public:
  explicit CudaEventTimer(std::function<void(std::size_t, double)> add) : add_(std::move(add)) {}

  std::size_t start() override {
    std::size_t span = 0;
    while (span < spans_.size() && (spans_[span].open || spans_[span].ended)) ++span;
    if (span == spans_.size()) spans_.emplace_back();
    spans_[span].open = true;
    spans_[span].begin.record();
    return span;
  }

  void stop(std::size_t span, std::size_t stage) override {
    Span& stopped = spans_.at(span);
    stopped.end.record();
    stopped.stage = stage;
    stopped.open = false;
    stopped.ended = true;
    if (++ended_ >= kWaitingSpans) collect();
  }

  void collect() override {
    for (Span& span : spans_) {
      if (!span.ended) continue;
      span.end.synchronize();
      add_(span.stage, span.begin.elapsed_time(span.end));
      span.ended = false;
    }
    ended_ = 0;
  }

 private:
  struct Span {
    at::cuda::CUDAEvent begin{cudaEventDefault}, end{cudaEventDefault};
    std::size_t stage = 0;
    bool open = false, ended = false;
  };
  std::function<void(std::size_t, double)> add_;
  std::vector<Span> spans_;  // reused after collection
  std::size_t ended_ = 0;
};

std::string device_time_problem() { return has_cuda_device() ? "" : "there is no CUDA device here"; }

std::unique_ptr<DeviceTimer> make_device_timer(std::function<void(std::size_t, double)> add) {
  return device_time_problem().empty() ? std::make_unique<CudaEventTimer>(std::move(add)) : nullptr;
}

#else

std::string device_time_problem() {
  return at::detail::getCUDAHooks().hasCUDA() ? "built without CUDA's headers" : "this LibTorch has no CUDA";
}

std::unique_ptr<DeviceTimer> make_device_timer(std::function<void(std::size_t, double)>) { return nullptr; }

#endif

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::TorchTable aqbench_torch_table;
const aqbench::TorchTable aqbench_torch_table = {.set_threads = &aqbench::set_threads,
                                                 .threads = &aqbench::threads,
                                                 .has_cuda_device = &aqbench::has_cuda_device,
                                                 .report_memory_here = &aqbench::report_memory_here,
                                                 .report_memory_of_pool = &aqbench::report_memory_of_pool,
                                                 .add_user_scopes = &aqbench::add_user_scopes,
                                                 .remove_user_scopes = &aqbench::remove_user_scopes,
                                                 .device_time_problem = &aqbench::device_time_problem,
                                                 .make_device_timer = &aqbench::make_device_timer};
