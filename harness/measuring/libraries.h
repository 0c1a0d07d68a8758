#pragma once
// What the harness asks of LibTorch, which is in the module `pipeline` (core/module.h), of OpenCL and of
// other libraries of real methods: threads, devices, memory, ranges.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"

namespace aqbench {

// The module's functions.
struct TorchTable {
  void (*set_threads)(int count);
  int (*threads)();
  bool (*has_cuda_device)();

  // Makes the calling thread report its tensor memory to report_tensor_memory().
  void (*report_memory_here)();

  // Makes the threads of the OpenMP pool do so; false if LibTorch has another pool.
  bool (*report_memory_of_pool)();

  // Passes ranges marked with RECORD_USER_SCOPE to the observer of StageScope, until they are removed.
  std::uint64_t (*add_user_scopes)();
  void (*remove_user_scopes)(std::uint64_t handle);
};

// Returns the table, loading the module if necessary. Throws Error(input) if the module is not installed.
const TorchTable& torch_table();

// During its lifetime, reports ranges that LibTorch code marks with RECORD_USER_SCOPE to the observer of
// StageScope (core/stage_scope.h) like StageScopes, nested as they ran. Does nothing if LibTorch is not
// loaded.
class UserScopeBridge {
 public:
  UserScopeBridge();
  ~UserScopeBridge();
  UserScopeBridge(const UserScopeBridge&) = delete;
  UserScopeBridge& operator=(const UserScopeBridge&) = delete;

 private:
  std::optional<std::uint64_t> handle_;  // none if LibTorch is not loaded
};

// Call what follows only in child processes: LibTorch starts its threads.

// Sets the thread count of LibTorch, TBB, OpenMP and OpenBLAS (which ignores LibTorch's setting), if loaded.
void set_library_threads(int count);

// Returns the current thread count reported by each loaded library, "torch", "tbb", "openmp", "openblas", and
// "own" for parallel_for.
std::vector<std::pair<std::string, std::int64_t>> library_threads();

// Returns whether LibTorch can use a CUDA device here. Throws Error(input) if its module is not installed.
bool cuda_device_available();

// LibTorch reports memory through thread-local debug information, so each thread must be registered once.
// Registered are: the thread that makes the watch, LibTorch's own pool (the OpenMP threads), the threads of
// parallel_for, and every thread that calls watch_tensor_memory_here(). A registered thread costs nothing
// without a listener: LibTorch checks an atomic flag.

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

// Asks the drivers in a child process, since they start threads, after which a process must not fork. Returns
// a list of {"name", "model", "kind", "driver", "compiler", "memory_bytes", "double_precision",
// "command_buffers"}. Throws Error(input) where there is none, with the reason.
Json list_opencl_devices();

// Returns the entry of one device, "opencl" or "opencl:N", without its memory; {"reason"} if it cannot be
// used here.
Json describe_opencl_device(const std::string& device);

// Returns this reason, or nullopt.
std::optional<std::string> opencl_device_problem(const std::string& device);

// Returns how long kernels and copies that were waited for have run on devices in this process, milliseconds;
// nullopt if the module was not opened for its cases.
std::optional<double> opencl_busy_ms();

// Reports the buffers of devices from now on like tensor memory, if the module is loaded.
void report_opencl_memory();

}  // namespace aqbench
