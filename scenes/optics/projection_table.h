#pragma once
// Sample positions of a whole reference image in a source image as one tensor product of polynomials: a few
// thousand exact projections and three small matrices replace one projection per sample.

#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench {

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
