#pragma once
// Sample positions of a whole reference image in a source image as one tensor product of polynomials: a few
// thousand exact projections and three small matrices replace one projection per sample. And interpolation at
// Chebyshev points on [-1, 1].

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// Returns point i of n, from 1 downwards: the zeros of the n-th Chebyshev polynomial.
inline double chebyshev_point(int i, int n) { return std::cos(std::numbers::pi * (2 * i + 1) / (2 * n)); }

// Returns the weights of the values at the n points in the interpolating polynomial's value at t (barycentric
// formula; Berrut and Trefethen 2004).
inline std::vector<double> chebyshev_weights(int n, double t) {
  std::vector<double> weights(static_cast<std::size_t>(n), 0.0);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double distance = t - chebyshev_point(i, n);
    if (std::abs(distance) < 1e-15) {
      weights.assign(weights.size(), 0.0);
      weights[i] = 1;
      return weights;
    }
    weights[i] = (i % 2 == 0 ? 1 : -1) * std::sin(std::numbers::pi * (2 * i + 1) / (2 * n)) / distance;
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The polynomials at the wanted depths: u(x, y, d) = sum over i, j of row_weights[y][j] column_weights[x][i]
// u[d][j][i], v alike; both in grid_sample's units: -1 and 1 are the centres of the outermost pixels.
struct ProjectionTable {
  int nodes = 0;        // in x and in y; 0 = the polynomials do not follow: use exact_positions()
  double error_px = 0;  // largest difference from exact projections between the nodes
  std::vector<float> column_weights;  // [width][nodes]
  std::vector<float> row_weights;     // [height][nodes]
  std::vector<float> u, v;            // [depth][nodes][nodes]
};

// The largest error_px of a usable table.
inline constexpr double kTableTolerance_px = 1e-3;

// Fits the polynomials to exact projections at Chebyshev points, with as few nodes as the tolerance allows.
// depths_m: ascending, not empty.
ProjectionTable make_projection_table(const RefractiveCamera& reference, const RefractiveCamera& source,
                                      std::span<const float> depths_m);

// Writes the positions at one depth by exact projection, [y][x], in the same units; 2 where there is none.
// Uses parallel_for.
void exact_positions(const RefractiveCamera& reference, const RefractiveCamera& source, float depth_m,
                     std::span<float> u, std::span<float> v);

}  // namespace aqbench
