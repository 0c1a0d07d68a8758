#pragma once
// Grey values without gain, offset and vignetting: centred by the mean and scaled by the standard deviation
// of a window.

#include <vector>

#include "pipeline/plane_sweep/kernels/grey_image.h"

namespace aqbench::dense_flow {

// Variance of rounding to 8 bits, added to that of every window: without texture a window stays near 0.
inline constexpr float kRoundingVariance = 1.0F / (255.0F * 255.0F * 12.0F);

struct LocalMoments {
  std::vector<float> mean,
      deviation;  // row-major; of the square window around each pixel, the rounding counted in
};

// On the calling thread alone.
LocalMoments local_moments(const plane_sweep::GreyImage& image, int window_px);

// (grey - mean) / deviation, row-major.
std::vector<float> normalise_locally(const plane_sweep::GreyImage& image, int window_px);

}  // namespace aqbench::dense_flow
