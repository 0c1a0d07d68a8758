#pragma once
// The kernels behind run(). Input and options have been checked; the result has its sizes, hypotheses and
// outputs allocated, the volume not.

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::plane_sweep {

void run_reference_kernel(const Input& input, const Options& options, Result& result);
void run_fused_kernel(const Input& input, const Options& options, Result& result);
void run_torch_kernel(const Input& input, const Options& options, Result& result);

}  // namespace aqbench::plane_sweep
