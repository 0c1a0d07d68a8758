#pragma once
// Fits a quadratic surface h(u, v) to weighted neighbours robustly: least squares, then twice more with
// Tukey's biweight of the residuals.

#include <cstddef>
#include <vector>

#include "core/multiversion.h"

namespace aqbench {

// Columns are zero-padded to a multiple of this.
inline constexpr std::size_t kFitLanes = 16;

// Zero-pads a column to a multiple of kFitLanes.
void pad_column(std::vector<float>& values);

// The neighbours of a query at the origin, in units of the radius: u and v tangential, h the height, k the
// weight (0 at the radius and in padded places).
struct LocalColumns {
  std::vector<float> u, v, h, k;
  std::size_t count = 0;      // number with positive weight, first in the columns
  std::vector<float> robust;  // scratch

  // Drops neighbours of weight 0, sets `count` and pads the columns.
  void compact();
};

// Returns the height of the fitted surface at the origin, in units of the radius. With fewer than 12
// neighbours the surface is a plane; with fewer than 6, or if they do not determine it, the result is NaN.
float fitted_height(LocalColumns& local);

// Writes to out[m] the sum of lanes[m].
template <std::size_t N>
AQBENCH_INLINE void add_lanes(const float (&lanes)[N][kFitLanes], float* out) {
  for (std::size_t m = 0; m < N; ++m) {
    float sum = 0;
    for (const float lane : lanes[m]) sum += lane;
    out[m] = sum;
  }
}

}  // namespace aqbench
