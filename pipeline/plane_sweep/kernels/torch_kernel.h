#pragma once
// The kernel of LibTorch operators, on the CPU or a CUDA device.

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Fills the result with LibTorch operators on options.batch depths a call. Throws Error(usage) for a device
// that is not there, Error(method) where LibTorch fails, as for want of memory. run() (plane_sweep.h) has
// checked input and options and has allocated all of the result but the volume.
void run_torch_kernel(const Input& input, const Options& options, Result& result);

}  // namespace aqbench::plane_sweep
