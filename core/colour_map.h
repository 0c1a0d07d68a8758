#pragma once
// Colours for pictures of numbers: one map for sizes, one for signed errors. The PNGs of a bundle and the
// colour bars of its report take them from here.

#include <cstdint>
#include <string>

namespace aqbench {

struct Rgb8 {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb8&) const = default;
};

// What is drawn where there is no number; no colour of the maps below is grey and darker than white.
inline constexpr Rgb8 kNoValueColour{128, 128, 128};  // the method has none
inline constexpr Rgb8 kNoTruthColour{40, 40, 40};     // there is nothing to compare with

// Steps of a map. An odd number, so that zero has a colour of its own; few, so that pictures stay small.
inline constexpr int kColourSteps = 31;

// 0 to 1 to the nearest step, from 0; beyond the ends, the end.
int colour_step(double t);

// Dark blue (0) over green to yellow (last): viridis of Smith and van der Walt, perceptually uniform.
Rgb8 sequential_colour(int step);

// Blue (0) over white to red (last), after ColorBrewer's RdBu; safe for people with colour vision deficiency.
Rgb8 diverging_colour(int step);

// The least 1, 2 or 5 times a power of ten that is not below `value` (> 0): where scales end.
double round_up_125(double value);

// "#rrggbb".
std::string hex_of(Rgb8 colour);

}  // namespace aqbench
