#pragma once
// Sine and cosine in double precision as straight-line arithmetic, so that loops that call them can be
// vectorised (AQBENCH_MULTIVERSION). Absolute errors stay below 4e-16 unless a comment says otherwise.

#include <bit>
#include <cstdint>
#include <numbers>

#include "core/multiversion.h"

namespace aqbench::vector_math {

// Returns the nearest integer of |x| < 2^51, ties to even, without a library call.
AQBENCH_INLINE double round_to_integer(double x) {
  constexpr double kShift = 0x1.8p52;
  return (x + kShift) - kShift;
}

// A sine and a cosine of the same angle.
struct SinCos {
  double sine, cosine;
};

// Returns sine and cosine for |x| <= pi/2: polynomials through the Chebyshev nodes of x^2, error 6e-17 before
// rounding.
AQBENCH_INLINE SinCos sincos_half_turn(double x) {
  const double y = x * x;
  double s = 2.7215749422098424e-15;
  s = s * y - 7.643026557963443e-13;
  s = s * y + 1.6058940878486252e-10;
  s = s * y - 2.5052106890569513e-08;
  s = s * y + 2.7557319211229606e-06;
  s = s * y - 0.00019841269841208676;
  s = s * y + 0.008333333333333186;
  s = s * y - 0.16666666666666666;
  s = s * y + 1.0;
  double c = 4.60897700283419e-14;
  c = c * y - 1.1462901901741764e-11;
  c = c * y + 2.0876561839932584e-09;
  c = c * y - 2.755731639102574e-07;
  c = c * y + 2.4801587277414923e-05;
  c = c * y - 0.001388888888877299;
  c = c * y + 0.04166666666666388;
  c = c * y - 0.4999999999999997;
  c = c * y + 1.0;
  return {x * s, c};
}

// Sine and cosine of x with the steps of its reduction.
struct ReducedSinCos {
  double sine, cosine;  // of x
  double rest;          // x less a multiple of pi, in [-pi/2, pi/2]
  double sign;          // -1 where that multiple is odd: sine = sign * sin(rest)
};

// Returns sine and cosine for any |x| up to about 1e6 radians (Cody and Waite's reduction); beyond that the
// error grows like the rounding of x itself.
AQBENCH_INLINE ReducedSinCos reduced_sincos(double x) {
  constexpr double kShift = 0x1.8p52;
  const double shifted = x * (1 / std::numbers::pi) + kShift;
  const double turns = shifted - kShift;
  constexpr double kPiHigh = 0x1.921fb544p+1;
  constexpr double kPiMiddle = 0x1.0b4611a6p-33;
  constexpr double kPiLow = 0x1.3198a2e037073p-68;
  const double rest = ((x - turns * kPiHigh) - turns * kPiMiddle) - turns * kPiLow;
  const SinCos reduced = sincos_half_turn(rest);
  const double sign = (std::bit_cast<std::uint64_t>(shifted) & 1) != 0 ? -1.0 : 1.0;
  return {sign * reduced.sine, sign * reduced.cosine, rest, sign};
}

// Returns sine and cosine as reduced_sincos does.
AQBENCH_INLINE SinCos sincos(double x) {
  const ReducedSinCos reduced = reduced_sincos(x);
  return {reduced.sine, reduced.cosine};
}

}  // namespace aqbench::vector_math
