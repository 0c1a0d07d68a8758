#pragma once
// The renderer's options: their meaning, parameters and named variants.

#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// The image formation. The radiance of a sample is the texture times exp(-absorption * depth along the ray),
// 0 for a ray without a hit. A pixel is the mean of its own samples and its neighbours', weighted by the
// Gaussian point spread (if its sigma is 0: the mean over the pixel). The sensor is monochrome:
//   value = gain (1 - vignetting (r / r_corner)^2) pixel + noise,
// clipped to [0, 1] and rounded to the levels, with r the distance from the image's centre, and a gain for
// each camera, uniform in 1 +- gain_spread.
struct ImagingOptions {
  double texture_contrast = 0.15;
  double psf_sigma_px = 0.5;
  int samples_per_side = 2;  // of a pixel: 4 samples a pixel
  double gain_spread = 0.05;
  double vignetting = 0.20;
  double noise_sigma = 2.0 / 255;
  int bits = 8;  // 8 or 16
  double absorption_per_m = 0;
};

// Throws Error(usage) "imaging.FIELD: ..." for bits other than 8 and 16, and for fewer than 1 sample.
void check(const ImagingOptions& options);

// A named set of options and rig overrides.
struct ImagingVariant {
  std::string name;
  std::string summary;                  // one line
  std::vector<Override> overrides;      // of owner "imaging"
  std::vector<Override> rig_overrides;  // their owner is the rig in use
};

// Returns the parameters of owner "imaging".
const std::vector<ParameterSpec>& imaging_parameters();

// Returns all variants; the first one is the default.
const std::vector<ImagingVariant>& imaging_variants();

// Finds a variant by name. Throws Error(usage) with similar names.
const ImagingVariant& find_imaging_variant(std::string_view name);

// Returns the options set by the parameters of owner "imaging".
ImagingOptions imaging_options(const Parameters& parameters);

}  // namespace aqbench
