#include "harness/measuring/tensor_memory.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "core/parallel.h"
#include "harness/measuring/torch_table.h"

namespace aqbench {
namespace {

// The listener, and the sizes of blocks reported to it. LibTorch's own table exists only while there is a
// listener, so a block may reappear there with an old size.
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
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr) torch->report_memory_here();
}

bool watch_tensor_memory_of_pool() {
  const TorchTable* const torch = loaded_torch_table();
  return torch != nullptr && torch->report_memory_of_pool();
}

void report_tensor_memory(const void* block, std::int64_t bytes) { memory_reports().report(block, bytes); }

bool is_tensor_memory_watched() {
  return memory_reports().listener.load(std::memory_order_acquire) != nullptr;
}

}  // namespace aqbench
