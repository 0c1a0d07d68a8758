#pragma once
// The CPU kernel that works tile by tile and keeps no cost volume.

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Fills the result tile by tile with vector instructions. run() (plane_sweep.h) has
// checked input and options and has allocated all of the result but the volume.
void run_fused_kernel(const Input& input, const Options& options, Result& result);

}  // namespace aqbench::plane_sweep
