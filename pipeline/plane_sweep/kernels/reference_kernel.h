#pragma once
// The kernel in plain loops and double precision that the others are checked against.

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Fills the result in double precision, from a whole cost volume. run() (plane_sweep.h) has
// checked input and options and has allocated all of the result but the volume.
void run_reference_kernel(const Input& input, const Options& options, Result& result);

}  // namespace aqbench::plane_sweep
