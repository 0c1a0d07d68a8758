#pragma once
// Plane-sweep stereo with straight or refracted rays: one interface, several kernels (options.h). For every
// pixel of the reference view and every depth along its ray, the sources are sampled where that
// point projects; the depth at which the windows around the samples agree best wins.

#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Returns `count` values from min to max, both included, evenly spaced or evenly in 1 / depth (then min > 0).
std::vector<float> depth_hypotheses(double depth_min_m, double depth_max_m, int count,
                                    bool even_in_inverse = false);

// Throws Error(input) naming the view and field: mismatched sizes, no source, an empty or non-finite depth
// range, non-finite grey values.
void check(const Input& input);

// Finds the depths of the reference view. Samples outside a source image are missing: a window needs half its
// samples or costs 1 in that source; the cost of a depth is the mean over the sources. Throws like both
// check() functions; Error(method) for an unavailable device. Uses parallel_for (torch: at::set_num_threads to
// the same count); the result does not depend on the thread count. Opens the stages build_cost_volume,
// grid_sample_warp and extract_depth if the kernel separates them.
Result run(const Input& input, const Options& options);

}  // namespace aqbench::plane_sweep
