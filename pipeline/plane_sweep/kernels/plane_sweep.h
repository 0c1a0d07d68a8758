#pragma once
// Plane-sweep stereo through a flat water surface: one interface, several kernels (options.h). For every
// pixel of the reference view and every depth along its refracted ray, the sources are sampled where that
// point projects; the depth at which the windows around the samples agree best wins.

#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Returns `count` evenly spaced values from min to max, both included.
std::vector<float> depth_hypotheses(double depth_min_m, double depth_max_m, int count);

// Throws Error(input) naming the view and field: sizes that do not match, no source, an empty or non-finite
// depth range, grey values that are not finite.
void check(const Input& input);

// Finds the depths of the reference view. Samples outside a source image count as missing: a window needs
// half its samples or costs 1 in that source; the cost of a depth is the mean over the sources. Throws as
// both check() functions; Error(usage) where the device is not there. Uses parallel_for (torch:
// at::set_num_threads to the same count); the result does not depend on the thread count. Opens the stages
// build_cost_volume, grid_sample_warp and extract_depth as far as the kernel keeps them apart.
Result run(const Input& input, const Options& options);

}  // namespace aqbench::plane_sweep
