#include "harness/library_threads.h"

#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

namespace aqbench {

void set_library_threads(int count) {
  at::set_num_threads(count);
  // Found by name: which BLAS is loaded is the system's choice (update-alternatives).
  using SetThreads = void (*)(int);
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); symbol != nullptr)
    reinterpret_cast<SetThreads>(symbol)(count);
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "omp_set_num_threads"); symbol != nullptr)
    reinterpret_cast<SetThreads>(symbol)(count);
}

bool cuda_device_available() {
  const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
  return hooks.hasCUDA() && hooks.getNumGPUs() > 0;
}

}  // namespace aqbench
