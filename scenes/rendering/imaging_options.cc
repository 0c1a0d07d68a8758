#include <cstdint>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {

void check(const ImagingOptions& options) {
  if (options.bits != 8 && options.bits != 16)
    throw usage_error("imaging.bits: must be 8 or 16, got {}", options.bits);
  if (options.samples_per_side < 1)
    throw usage_error("imaging.samples_per_side: must be positive, got {}", options.samples_per_side);
}

const std::vector<ParameterSpec>& imaging_parameters() {
  const ImagingOptions o;
  static const std::vector<ParameterSpec> specs = {
      {"texture_contrast", "1", o.texture_contrast, 0, 1, "RMS contrast of the surface's texture", {}},
      {"psf_sigma_px", "px", o.psf_sigma_px, 0, 10, "Gaussian point spread; 0: mean over the pixel", {}},
      {"samples_per_side", "1", std::int64_t{o.samples_per_side}, 1, 8, "samples along a pixel's side", {}},
      {"gain_spread", "1", o.gain_spread, 0, 0.9, "each camera's gain lies within 1 +- this", {}},
      {"vignetting", "1", o.vignetting, 0, 1, "loss of light in the image's corner", {}},
      {"noise_sigma", "1", o.noise_sigma, 0, 1, "standard deviation of the sensor's noise; white is 1", {}},
      {"bits", "1", std::int64_t{o.bits}, 8, 16, "of a pixel: 8 or 16", {}},
      {"absorption_per_m", "1/m", o.absorption_per_m, 0, 100, "of the water, along the ray", {}},
  };
  return specs;
}

const std::vector<ImagingVariant>& imaging_variants() {
  static const std::vector<ImagingVariant> variants = {
      {"default", "point spread, gains, vignetting, noise, 8 bits, lens distortion", {}, {}},
      {"clean",
       "point spread alone: no gains, vignetting, noise or distortion, 16 bits",
       {{"imaging", "gain_spread", "0"},
        {"imaging", "vignetting", "0"},
        {"imaging", "noise_sigma", "0"},
        {"imaging", "bits", "16"}},
       {{"", "k1", "0"}, {"", "k2", "0"}}},
      {"low_contrast",
       "the default with a texture of RMS contrast 0.03",
       {{"imaging", "texture_contrast", "0.03"}},
       {}},
      {"textureless", "the default on a uniform surface", {{"imaging", "texture_contrast", "0"}}, {}},
  };
  return variants;
}

const ImagingVariant& find_imaging_variant(std::string_view name) {
  return find_named("imaging variant", name, imaging_variants());
}

ImagingOptions imaging_options(const Parameters& parameters) {
  return {.texture_contrast = parameters.number("texture_contrast"),
          .psf_sigma_px = parameters.number("psf_sigma_px"),
          .samples_per_side = static_cast<int>(parameters.integer("samples_per_side")),
          .gain_spread = parameters.number("gain_spread"),
          .vignetting = parameters.number("vignetting"),
          .noise_sigma = parameters.number("noise_sigma"),
          .bits = static_cast<int>(parameters.integer("bits")),
          .absorption_per_m = parameters.number("absorption_per_m")};
}

}  // namespace aqbench
