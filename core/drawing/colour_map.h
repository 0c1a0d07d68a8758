#pragma once
// Colours for pictures of numbers: one map for sizes, one for signed errors. The PNGs of a bundle and the
// colour bars of its report take them from here.

#include <cstdint>
#include <string>

namespace aqbench {

// A colour, 0 to 255 for each part.
struct Rgb8 {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb8&) const = default;
};

// The colours drawn where there is no number. The maps below contain neither of these greys.
inline constexpr Rgb8 kNoValueColour{128, 128, 128};  // the method has none
inline constexpr Rgb8 kNoTruthColour{40, 40, 40};     // there is nothing to compare with

// The number of colours of a map. It is odd, so that zero has a colour of its own, and small, so that
// pictures stay small files.
inline constexpr int kColourSteps = 31;

// Returns the step (0 to kColourSteps - 1) nearest to `t`, which runs from 0 to 1; values beyond the ends
// give the end.
int colour_step(double t);

// Returns the colour of a step: dark blue (0) over green to yellow (last): viridis of Smith and van der Walt,
// perceptually uniform.
Rgb8 sequential_colour(int step);

// Returns the colour of a step: blue (0) over white to red (last), after ColorBrewer's RdBu; safe for people
// with colour vision deficiency.
Rgb8 diverging_colour(int step);

// Returns the end of a scale for `value` (> 0): the least number not below it that is 1, 2 or 5 times a power
// of ten.
double round_up_125(double value);

// Returns the colour as "#rrggbb".
std::string hex_of(Rgb8 colour);

}  // namespace aqbench
