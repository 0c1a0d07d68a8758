#pragma once
// The kernels behind run() (plane_sweep.h), which has checked input and options and allocated all of the
// result except the volume.

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Fills the result in plain loops and double precision from a whole cost volume; checks the other kernels.
void run_reference_kernel(const Input& input, const Options& options, Result& result);

// Fills the result on the CPU tile by tile with vector instructions, without a cost volume.
void run_fused_kernel(const Input& input, const Options& options, Result& result);

// Fills the result with LibTorch operators on options.batch depths a call, on the CPU or a CUDA device.
// Throws Error(method) if LibTorch fails: out of memory, or a device that it does not have.
void run_torch_kernel(const Input& input, const Options& options, Result& result);

}  // namespace aqbench::plane_sweep
