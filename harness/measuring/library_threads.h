#pragma once
// Threads and devices of the libraries of real methods. Call only in child processes: LibTorch starts its
// threads.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace aqbench {

// Sets the thread count of LibTorch, TBB, OpenMP and OpenBLAS (which ignores LibTorch's setting), if loaded.
void set_library_threads(int count);

// Returns the current thread count reported by each loaded library, "torch", "tbb", "openmp", "openblas", and
// "own" for parallel_for.
std::vector<std::pair<std::string, std::int64_t>> library_threads();

// Returns whether LibTorch can use a CUDA device here. Throws Error(input) if its module is not installed.
bool cuda_device_available();

// Makes the process keep and reuse freed memory without the kernel. By default glibc returns large blocks on
// each free, so that the kernel maps and clears all their pages again in every repetition: that doubled the
// time of runs with 0.5 GB of tensors and scattered it by 15 %. Call it before warm runs, after the cold one,
// whose time includes the pages. Permanent; does nothing with other allocators than glibc's.
void keep_freed_memory();

}  // namespace aqbench
