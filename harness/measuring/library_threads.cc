#include "harness/measuring/library_threads.h"

#include <dlfcn.h>
#include <malloc.h>
#include <tbb/global_control.h>

#include <memory>

#include "core/parallel.h"
#include "harness/measuring/torch_table.h"

namespace aqbench {

void set_library_threads(int count) {
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr) torch->set_threads(count);
  // Looked up by name: the system chooses the BLAS (update-alternatives).
  using SetThreads = void (*)(int);
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); symbol != nullptr)
    reinterpret_cast<SetThreads>(symbol)(count);
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "omp_set_num_threads"); symbol != nullptr)
    reinterpret_cast<SetThreads>(symbol)(count);
  static std::unique_ptr<tbb::global_control> tbb_limit;  // in effect during its lifetime
  tbb_limit.reset();
  tbb_limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(count));
}

std::vector<std::pair<std::string, std::int64_t>> library_threads() {
  std::vector<std::pair<std::string, std::int64_t>> threads = {
      {"own", thread_count()},
      {"tbb", static_cast<std::int64_t>(
                  tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))}};
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr)
    threads.emplace_back("torch", torch->threads());
  using GetThreads = int (*)();
  for (const auto& [library, name] :
       {std::pair{"openblas", "openblas_get_num_threads"}, {"openmp", "omp_get_max_threads"}})
    if (void* const symbol = ::dlsym(RTLD_DEFAULT, name); symbol != nullptr)
      threads.emplace_back(library, reinterpret_cast<GetThreads>(symbol)());
  return threads;
}

bool cuda_device_available() { return torch_table().has_cuda_device(); }

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap, too
  ::mallopt(M_TRIM_THRESHOLD, -1);  // taken as SIZE_MAX: the heap never shrinks
}

}  // namespace aqbench
