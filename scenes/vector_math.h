#pragma once
// Sine, cosine and exponential in double as straight-line arithmetic, so that loops calling them vectorise
// (AQBENCH_MULTIVERSION). Absolute errors stay below 3e-16 where nothing else is said.

#include <bit>
#include <cstdint>

#include "scenes/core/multiversion.h"

namespace aqbench::vector_math {

inline constexpr double kPi = 3.14159265358979323846;

// Nearest integer of |x| < 2^51, ties to even, without a library call.
AQBENCH_INLINE double round_to_integer(double x) {
  constexpr double kShift = 0x1.8p52;
  return (x + kShift) - kShift;
}

struct SinCos {
  double sine, cosine;
};

// For |x| <= pi/2. Minimax polynomials, error 1e-16 before rounding.
AQBENCH_INLINE SinCos sincos_half_turn(double x) {
  const double y = x * x;
  double s = -7.3591254055942914174e-13;
  s = s * y + 1.6046761950698210834e-10;
  s = s * y - 2.5051830172235459342e-8;
  s = s * y + 2.755731564020034118e-6;
  s = s * y - 0.00019841269815181603383;
  s = s * y + 0.0083333333332333806495;
  s = s * y - 0.16666666666664975323;
  s = s * y + 0.99999999999999920447;
  double c = 4.6090073766591025209e-14;
  c = c * y - 1.1462904899768928644e-11;
  c = c * y + 2.0876561960150889844e-9;
  c = c * y - 2.7556317393535941113e-7;
  c = c * y + 0.000024801587277443960595;
  c = c * y - 0.0013888888887773172296;
  c = c * y + 0.041666666666663887967;
  c = c * y - 0.49999999999999974309;
  c = c * y + 0.99999999999999999609;
  return {x * s, c};
}

// For any |x| up to about 1e6 radians (Cody and Waite's reduction by multiples of pi); beyond, the error
// grows like the rounding of x itself.
AQBENCH_INLINE SinCos sincos(double x) {
  constexpr double kShift = 0x1.8p52;
  const double shifted = x * (1 / kPi) + kShift;
  const double turns = shifted - kShift;
  constexpr double kPiHigh = 0x1.921fb544p+1;
  constexpr double kPiMiddle = 0x1.0b4611a6p-33;
  constexpr double kPiLow = 0x1.3198a2e037073p-68;
  const double r = ((x - turns * kPiHigh) - turns * kPiMiddle) - turns * kPiLow;
  const SinCos reduced = sincos_half_turn(r);
  const double sign = (std::bit_cast<std::uint64_t>(shifted) & 1) != 0 ? -1.0 : 1.0;
  return {sign * reduced.sine, sign * reduced.cosine};
}

}  // namespace aqbench::vector_math
