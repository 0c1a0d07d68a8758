#include "scenes/surfaces/ripples/ripples.h"

#include <cmath>
#include <numbers>

#include "core/random.h"
#include "scenes/surfaces/shape_checks.h"

namespace aqbench {

void check(const RippleFieldShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  double steepest = 0;
  for (const Ripple& ripple : shape.ripples) {
    require_not_negative("amplitude_m", ripple.amplitude_m);
    for (const double value : {ripple.wave_x, ripple.wave_y, ripple.phase}) require_finite("ripples", value);
    steepest += ripple.amplitude_m * std::hypot(ripple.wave_x, ripple.wave_y);
  }
  require_slope("rms_m", steepest);
}

void check(const RippleOptions& options) {
  require_finite("base_depth_m", options.base_depth_m);
  require_not_negative("rms_m", options.rms_m);
  require_shape(options.ripples >= 1, "ripples", "at least 1", static_cast<double>(options.ripples));
  require_positive("wavelength_min_m", options.wavelength_min_m);
  require_positive("wavelength_max_m", options.wavelength_max_m);
  require_shape(options.wavelength_max_m >= options.wavelength_min_m, "wavelength_max_m",
                "at least wavelength_min_m", options.wavelength_max_m);
}

RippleFieldShape make_ripples(const RippleOptions& options) {
  check(options);
  const RandomKey key{options.seed, RandomStream::ripple_field};
  RippleFieldShape shape{options.base_depth_m, {}};
  const double log_ratio = std::log(options.wavelength_max_m / options.wavelength_min_m);
  const auto count = static_cast<std::uint64_t>(options.ripples);
  double squares = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [place, direction] = uniform01_pair(key, i, 0);
    const double share = (static_cast<double>(i) + place) / static_cast<double>(count);
    const double wavelength = options.wavelength_min_m * std::exp(share * log_ratio);
    const double wave = 2 * std::numbers::pi / wavelength, angle = 2 * std::numbers::pi * direction;
    shape.ripples.push_back({wavelength, wave * std::cos(angle), wave * std::sin(angle),
                             2 * std::numbers::pi * uniform01(key, i, 1)});
    squares += wavelength * wavelength;
  }
  // The mean square of a sine is half its squared amplitude.
  for (Ripple& r : shape.ripples) r.amplitude_m *= options.rms_m * std::sqrt(2 / squares);
  return shape;
}

}  // namespace aqbench
