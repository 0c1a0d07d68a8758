#pragma once
// Threads and devices of the libraries that real methods run on. For child processes: LibTorch wakes up here.

namespace aqbench {

// For LibTorch, OpenMP and OpenBLAS, which ignores LibTorch's setting. An OpenBLAS that is not loaded is left
// alone.
void set_library_threads(int count);

bool cuda_device_available();

}  // namespace aqbench
