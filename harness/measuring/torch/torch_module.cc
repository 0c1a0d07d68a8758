// The part of the module `torch` that measures LibTorch.
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <dlfcn.h>

#include <memory>

#include "core/stage_scope.h"
#include "harness/measuring/libraries.h"

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

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::TorchTable aqbench_torch_table;
const aqbench::TorchTable aqbench_torch_table = {.set_threads = &aqbench::set_threads,
                                                 .threads = &aqbench::threads,
                                                 .has_cuda_device = &aqbench::has_cuda_device,
                                                 .report_memory_here = &aqbench::report_memory_here,
                                                 .report_memory_of_pool = &aqbench::report_memory_of_pool,
                                                 .add_user_scopes = &aqbench::add_user_scopes,
                                                 .remove_user_scopes = &aqbench::remove_user_scopes};
