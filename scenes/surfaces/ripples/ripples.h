#pragma once
// A seeded set of ripples of many wavelengths and directions.

#include <cstdint>
#include <vector>

namespace aqbench {

// One ripple: amplitude_m sin(wave_x x + wave_y y + phase).
struct Ripple {
  double amplitude_m = 0;
  double wave_x = 0, wave_y = 0;  // radians per metre
  double phase = 0;               // radians
};

// A surface of ripples: z = base_depth_m + the sum of its ripples.
struct RippleFieldShape {
  double base_depth_m = 1.178;
  std::vector<Ripple> ripples;
};

// How ripples are drawn: wavelengths spread over the range (one in each of `ripples` equal steps of its
// logarithm), random directions and phases, amplitudes proportional to the wavelength (so that all are
// equally steep). The root mean square of the height about its mean, over the whole plane, is rms_m.
struct RippleOptions {
  double base_depth_m = 1.178;
  double rms_m = 0.003;
  std::int64_t ripples = 12;
  double wavelength_min_m = 0.03;
  double wavelength_max_m = 0.12;
  std::uint64_t seed = 1;
};

// Throws Error(usage) naming the field that is not finite, not positive where it must be, or makes the
// surface too steep.
void check(const RippleFieldShape& shape);

// Throws Error(usage) naming the field that is not finite or not positive where it must be.
void check(const RippleOptions& options);

// Draws the ripples. Throws Error(usage) as check() does.
RippleFieldShape make_ripples(const RippleOptions& options);

}  // namespace aqbench
