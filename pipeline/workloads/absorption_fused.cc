// The fused absorption kernel: one pass over a row, everything in registers. sin(5 a) / sin(a) is a
// polynomial of cos(2 a), and the layers' exponentials are powers of one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "pipeline/workloads/absorption.h"

namespace aqbench {
namespace {

constexpr double kRound = 6755399441055744.0;  // 1.5 x 2^52: adding it rounds to an integer

// cos(2 pi x) to 2e-15: the argument is folded to |r| <= 1/4 of a turn, where a Taylor series of degree 20
// is exact to rounding.
AQBENCH_INLINE double cos_turns(double x) {
  // Folding about half turns: cos(2 pi x) = -cos(2 pi (x - 1/2)), sign by parity of the number of halves.
  const double halves = (2 * x + kRound) - kRound;
  const double r = x - 0.5 * halves;                                   // |r| <= 1/4
  const double odd = halves - 2 * ((0.5 * halves + kRound) - kRound);  // -1, 0 or 1
  const double sign = 1 - 2 * odd * odd;
  constexpr double two_pi = 6.283185307179586;
  const double a = two_pi * r, s = a * a;                 // s <= (pi / 2)^2
  double p = 1.0 / 51090942171709440000.0 * -1.0 / 22.0;  // -1 / 22!
  p = p * s + 1.0 / 2432902008176640000.0;                // 1 / 20!
  p = p * s - 1.0 / 6402373705728000.0;                   // 1 / 18!
  p = p * s + 1.0 / 20922789888000.0;                     // 1 / 16!
  p = p * s - 1.0 / 87178291200.0;                        // 1 / 14!
  p = p * s + 1.0 / 479001600.0;                          // 1 / 12!
  p = p * s - 1.0 / 3628800.0;                            // 1 / 10!
  p = p * s + 1.0 / 40320.0;                              // 1 / 8!
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  p = p * s - 0.5;
  p = p * s + 1.0;
  return sign * p;
}

// exp(x) for -700 <= x <= 0 to 1e-15 relative.
AQBENCH_INLINE double exp_of_negative(double x) {
  constexpr double log2e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01,
                   ln2_low = 1.90821492927058770002e-10;
  const double shifted = x * log2e + kRound;
  const double whole = shifted - kRound;
  const double r = (x - whole * ln2_high) - whole * ln2_low;  // |r| <= ln(2) / 2
  double p = 1.0 / 479001600.0;                               // 1 / 12!
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The integer stands in the low bits of `shifted`; as an exponent it is 2^whole.
  const std::int64_t power = (std::bit_cast<std::int64_t>(shifted) << 52) + (std::int64_t{1023} << 52);
  return p * std::bit_cast<double>(power);
}

AQBENCH_INLINE double squared_lattice_factor(double index) {
  const double c = cos_turns(index);
  const double factor = 4 * c * c + 2 * c - 1;
  return factor * factor;
}

constexpr int kBlock = 64;  // pixels that are worked on together: their numbers stay in the first cache

// Layers are outside of the loop over pixels, which would not become vector instructions otherwise.
AQBENCH_MULTIVERSION
void absorption_row(double y_m, double z_first_m, int size, int layers, double layer_depth, double* out) {
  constexpr double scale = kCell_A / kWavelength_A;
  constexpr double constant = kStructureFactor * kStructureFactor * 0.5 * kPixel_m * kPixel_m * kDistance_m *
                              kElectronRadiusSquared_m2 * kFluence;
  for (int first = 0; first < size; first += kBlock) {
    const int count = std::min(kBlock, size - first);
    double intensity[kBlock], transmitted[kBlock], left[kBlock], absorbed[kBlock];
    for (int i = 0; i < count; ++i) {
      const double z_m = z_first_m + (first + i) * kPixel_m;
      const double inverse = 1 / std::sqrt(kDistance_m * kDistance_m + y_m * y_m + z_m * z_m);
      const double dx = kDistance_m * inverse;
      intensity[i] =
          constant * (1 + dx * dx) * inverse * inverse * inverse * squared_lattice_factor(scale * (dx - 1)) *
          squared_lattice_factor(scale * y_m * inverse) * squared_lattice_factor(scale * z_m * inverse);
      const double cosine = dx < kLeastCosine ? kLeastCosine : dx;
      const double exponent = -layer_depth / cosine;
      transmitted[i] = exp_of_negative(exponent < -700 ? -700 : exponent);
      left[i] = 1;
      absorbed[i] = 0;
    }
    for (int t = 0; t < layers; ++t)
      for (int i = 0; i < count; ++i) {
        const double after = left[i] * transmitted[i];
        absorbed[i] += left[i] - after;
        left[i] = after;
      }
    for (int i = 0; i < count; ++i) out[first + i] = intensity[i] * absorbed[i];
  }
}

}  // namespace

std::vector<double> absorption_fused(const AbsorptionProblem& problem) {
  const auto size = static_cast<std::size_t>(problem.size_px);
  const double centre_m = beam_centre_m(problem);
  const double layer_depth = problem.thickness_m / problem.layers / problem.attenuation_depth_m;
  std::vector<double> image(size * size);
  const std::size_t rows = std::max<std::size_t>(8, 65536 / size);  // a thread must be worth its start
  parallel_for(size, rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slow = begin; slow < end; ++slow)
      absorption_row(centre_m - (static_cast<double>(slow) + 0.5) * kPixel_m, -centre_m + 0.5 * kPixel_m,
                     problem.size_px, problem.layers, layer_depth, image.data() + slow * size);
  });
  return image;
}

}  // namespace aqbench
