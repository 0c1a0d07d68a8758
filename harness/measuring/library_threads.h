#pragma once
// Threads and devices of the libraries that real methods run on. Call these in child processes alone: they
// make LibTorch start its threads.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace aqbench {

// Sets how many threads LibTorch, TBB, OpenMP and OpenBLAS use; OpenBLAS ignores LibTorch's setting. An
// OpenBLAS that is not loaded is left alone.
void set_library_threads(int count);

// Returns what each library answers when asked for its threads now: "torch", "tbb", "openmp", "openblas"
// where they are loaded, and "own" for parallel_for.
std::vector<std::pair<std::string, std::int64_t>> library_threads();

// Returns whether LibTorch can use a CUDA device here. Throws Error(input) where its module is not installed.
bool cuda_device_available();

}  // namespace aqbench
