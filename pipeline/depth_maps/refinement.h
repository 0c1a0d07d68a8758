#pragma once
// The second pass of a plane sweep: every pixel tries sixteen depths around those of a roughly right map.
// Windows then follow the map's slope and curvature instead of one depth along the rays: the samples of a
// true match agree over the whole window, and a window wider than a ripple smooths errors of the map, not the
// ripple.

#include <span>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::plane_sweep {

// Refines a depth map. guide_m: [y][x], NaN = none; such a pixel gets no depth and counts in no window. A
// pixel's hypotheses are step_m apart around the guide, times its depth squared over that of `step_at_m`
// unless that is 0: even steps of parallax for rays from the camera's centre. It gets no depth if the first
// or the last one wins. Samples outside a source count as in run(). The depth range of the input and
// options.depths, kernel, batch, device and keep_volume are ignored. Throws like both check() functions,
// Error(input) if the guide's size differs from the reference's, Error(usage) if the step is not positive.
// Uses parallel_for; the result does not depend on the thread count. Opens the stage depth_refinement.
RefinedDepth refine_depth_map(const Input& input, const Options& options, std::span<const float> guide_m,
                              double step_m, double step_at_m = 0);

}  // namespace aqbench::plane_sweep
