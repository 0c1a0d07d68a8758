#pragma once
// Colour maps for values: one for magnitudes, one for signed errors. Used by a bundle's PNGs and by the
// colour bars of its report.

#include <cstdint>
#include <string>

namespace aqbench {

// A colour; each channel is 0 to 255.
struct Rgb8 {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb8&) const = default;
};

// Colours of pixels without a number. Neither grey occurs in the maps below.
inline constexpr Rgb8 kNoValueColour{128, 128, 128};  // the method gives no value
inline constexpr Rgb8 kNoTruthColour{40, 40, 40};     // there is no truth to compare with

// The number of colours of a map. Odd, so that zero has its own colour; small, so that pictures stay small
// files.
inline constexpr int kColourSteps = 31;

// Returns the step (0 to kColourSteps - 1) nearest to `t` in [0, 1]; values outside are clamped.
int colour_step(double t);

// Returns the colour of a step, dark blue (0) over green to yellow (last): viridis by Smith and van der Walt,
// perceptually uniform.
Rgb8 sequential_colour(int step);

// Returns the colour of a step, blue (0) over white to red (last): ColorBrewer's RdBu, safe for colour vision
// deficiency.
Rgb8 diverging_colour(int step);

// Returns the upper end of a scale for `value` (> 0): the least 1, 2 or 5 times a power of ten that is not
// below it.
double round_up_125(double value);

// Returns the colour as "#rrggbb".
std::string hex_of(Rgb8 colour);

}  // namespace aqbench
