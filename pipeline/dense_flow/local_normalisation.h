#pragma once
// Grey values without gain, offset and vignetting: centred by the mean and scaled by the standard deviation
// of a window.

#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"

namespace aqbench::dense_flow {

// Variance of rounding to 8 bits, added to that of every window: a window without texture then gives values
// near 0 instead of noise.
inline constexpr float kRoundingVariance = 1.0F / (255.0F * 255.0F * 12.0F);

// Mean and standard deviation of the square window around each pixel, row-major; kRoundingVariance is added
// before the root.
struct LocalMoments {
  std::vector<float> mean, deviation;
};

// Computes mean and standard deviation. Single-threaded.
LocalMoments local_moments(const plane_sweep::GreyImage& image, int window_px);

// Returns (grey - mean) / deviation, row-major. Single-threaded.
std::vector<float> normalise_locally(const plane_sweep::GreyImage& image, int window_px);

}  // namespace aqbench::dense_flow
