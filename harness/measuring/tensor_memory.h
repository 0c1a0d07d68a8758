#pragma once
// Every allocation and release of tensor memory, as LibTorch reports it (CPU and CUDA allocators).
//
// LibTorch reports through thread-local debug information, so each thread has to be told once. Told are: the
// thread that makes the watch, LibTorch's own pool (the OpenMP threads), the threads of parallel_for, and
// every thread that asks with watch_tensor_memory_here(). Once told, a thread costs nothing while nobody
// watches, as LibTorch asks an atomic flag.

#include <cstdint>

namespace aqbench {

// Somebody who is told of tensor memory. It is called on the thread that allocates or releases, one call at a
// time.
class TensorMemoryListener {
 public:
  virtual ~TensorMemoryListener() = default;
  // Is told of bytes that were taken (above 0) or given back (below 0). Memory that was taken before the
  // watch began, or on a thread that was not told, is not reported when it is given back.
  virtual void on_tensor_memory(std::int64_t bytes) noexcept = 0;
};

// Lets a listener hear of tensor memory while this object exists. A second watch takes over until it ends. Do
// not end a watch while tensors that it saw are being made on other threads.
class TensorMemoryWatch {
 public:
  explicit TensorMemoryWatch(TensorMemoryListener& listener);
  ~TensorMemoryWatch();
  TensorMemoryWatch(const TensorMemoryWatch&) = delete;
  TensorMemoryWatch& operator=(const TensorMemoryWatch&) = delete;

 private:
  TensorMemoryListener* previous_;
};

// Makes the calling thread report its tensor memory; does nothing where that has been done, and where
// LibTorch is not loaded.
void watch_tensor_memory_here();

// Makes the threads of the OpenMP pool that LibTorch uses report: as many as it uses at the time. Starts the
// pool, so the process must not fork afterwards. Returns false where this LibTorch has another pool or is not
// loaded.
bool watch_tensor_memory_of_pool();

// Passes a report of LibTorch's allocators on to the listener: `bytes` taken (> 0) or given back (< 0).
void report_tensor_memory(const void* block, std::int64_t bytes);

// Returns whether somebody listens: LibTorch asks before it reports.
bool is_tensor_memory_watched();

}  // namespace aqbench
