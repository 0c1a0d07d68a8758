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

}  // namespace aqbench
