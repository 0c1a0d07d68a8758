#include "harness/measuring/tensor_memory.h"

#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <dlfcn.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/parallel.h"

namespace aqbench {
namespace {

// Who listens, and the sizes of what was reported to them. LibTorch keeps such a table, too, but only as long
// as somebody listens, so that a block it saw taken may come back as another one, with the old size.
struct MemoryReports {
  std::mutex mutex;
  std::atomic<TensorMemoryListener*> listener{nullptr};
  std::unordered_map<const void*, std::int64_t> sizes;

  void report(const void* block, std::int64_t bytes) {
    if (block == nullptr || bytes == 0) return;
    const std::lock_guard lock(mutex);
    TensorMemoryListener* const to = listener.load(std::memory_order_relaxed);
    if (to == nullptr) return;
    if (bytes > 0) {
      sizes[block] = bytes;
      to->on_tensor_memory(bytes);
    } else if (const auto known = sizes.find(block); known != sizes.end()) {
      const std::int64_t taken = known->second;
      sizes.erase(known);
      to->on_tensor_memory(-taken);
    }
  }
};

MemoryReports& memory_reports() {
  static auto* const reports = new MemoryReports;  // never destroyed: pool threads outlive main()
  return *reports;
}

// The totals are int64_t in LibTorch 1.13 and size_t in 2.x: taken from the function that is overridden.
template <class Function>
class MemoryReporterOf;
template <class Base, class Total>
class MemoryReporterOf<void (Base::*)(void*, std::int64_t, Total, Total, c10::Device)> final : public Base {
 public:
  void reportMemoryUsage(void* block, std::int64_t bytes, Total, Total, c10::Device) override {
    memory_reports().report(block, bytes);
  }
  bool memoryProfilingEnabled() const override {
    return memory_reports().listener.load(std::memory_order_acquire) != nullptr;
  }
};
using MemoryReporter = MemoryReporterOf<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>;

thread_local bool t_watches = false;

void set_listener(TensorMemoryListener* listener) {
  MemoryReports& reports = memory_reports();
  const std::lock_guard lock(reports.mutex);
  reports.listener.store(listener, std::memory_order_release);
  reports.sizes.clear();
}

}  // namespace

TensorMemoryWatch::TensorMemoryWatch(TensorMemoryListener& listener)
    : previous_(memory_reports().listener.load()) {
  set_listener(&listener);
  set_worker_start_hook(&watch_tensor_memory_here);
  watch_tensor_memory_here();
}

TensorMemoryWatch::~TensorMemoryWatch() {
  set_listener(previous_);
  if (previous_ == nullptr) set_worker_start_hook(nullptr);
}

void watch_tensor_memory_here() {
  if (t_watches) return;
  static const auto reporter = std::make_shared<MemoryReporter>();
  // Never popped: it asks for the listener whenever it is used.
  c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, reporter);
  t_watches = true;
}

bool watch_tensor_memory_of_pool() {
  // By name, as the pool is whichever OpenMP library LibTorch brought along, and this file is compiled
  // without OpenMP.
  using RunOnPool = void (*)(void (*)(void*), void*, unsigned threads, unsigned flags);
  static void* const symbol = ::dlsym(RTLD_DEFAULT, "GOMP_parallel");
  if (symbol == nullptr) return false;
  const auto threads = static_cast<unsigned>(at::get_num_threads());
  reinterpret_cast<RunOnPool>(symbol)([](void*) { watch_tensor_memory_here(); }, nullptr, threads, 0);
  return true;
}

}  // namespace aqbench
