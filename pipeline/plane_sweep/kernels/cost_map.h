#pragma once
// The cost functions on whole images in plain double precision, the reference of the fast kernels.

#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Returns the one-dimensional weights of the window, separable and summing to 1 for ssim, all 1 for the
// others.
std::vector<double> window_weights(CostFunction cost, int window_px);

// Returns the least total weight of valid samples in a window; with less it costs 1.
double min_window_weight(CostFunction cost, int window_px);

// Computes the cost of the window around each pixel, clipped at the image border. All spans: [y][x], width_px
// * height_px; NaN in `warped` = missing sample. Single-threaded. Throws like check(options), Error(input)
// for wrong sizes.
void cost_map(const Options& options, int width_px, int height_px, std::span<const float> reference,
              std::span<const float> warped, std::span<float> cost);

}  // namespace aqbench::plane_sweep
