#pragma once
// Every allocation and release of tensor memory, as reported by LibTorch (CPU and CUDA allocators).
//
// LibTorch reports through thread-local debug information, so each thread must be registered once. Registered
// are: the thread that makes the watch, LibTorch's own pool (the OpenMP threads), the threads of
// parallel_for, and every thread that calls watch_tensor_memory_here(). A registered thread costs nothing
// without a listener: LibTorch checks an atomic flag.

#include <cstdint>

namespace aqbench {

// Receives changes of tensor memory, on the thread that allocates or releases, one call at a time.
class TensorMemoryListener {
 public:
  virtual ~TensorMemoryListener() = default;
  // Receives bytes taken (positive) or given back (negative). Releases of memory taken before the watch
  // began, or on an unregistered thread, are not reported.
  virtual void on_tensor_memory(std::int64_t bytes) noexcept = 0;
};

// Installs a listener for its lifetime. A second watch takes over until it ends. Do not end a watch while
// tensors that it saw are being made on other threads.
class TensorMemoryWatch {
 public:
  explicit TensorMemoryWatch(TensorMemoryListener& listener);
  ~TensorMemoryWatch();
  TensorMemoryWatch(const TensorMemoryWatch&) = delete;
  TensorMemoryWatch& operator=(const TensorMemoryWatch&) = delete;

 private:
  TensorMemoryListener* previous_;
};

// Registers the calling thread; does nothing if it is registered or LibTorch is not loaded.
void watch_tensor_memory_here();

// Registers the threads of LibTorch's OpenMP pool, as many as it uses at the time. Starts the pool, so the
// process must not fork afterwards. Returns false if LibTorch has another pool or is not loaded.
bool watch_tensor_memory_of_pool();

// Passes a report of LibTorch's allocators on to the listener: `bytes` taken (> 0) or given back (< 0).
void report_tensor_memory(const void* block, std::int64_t bytes);

// Returns whether there is a listener; LibTorch asks before it reports.
bool is_tensor_memory_watched();

}  // namespace aqbench
