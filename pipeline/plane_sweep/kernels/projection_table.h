#pragma once
// Where the samples of a whole reference image lie in a source image, as one tensor product of polynomials: a
// few thousand exact projections and three small matrices replace one projection a sample.

#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/flat_water_camera.h"

namespace aqbench::plane_sweep {

// u(x, y, d) = sum over i, j of row_weights[y][j] column_weights[x][i] u[d][j][i], v alike; both in
// grid_sample's units: -1 and 1 are the centres of the outermost pixels.
struct ProjectionTable {
  int nodes = 0;        // in x and in y; 0 = the polynomials do not follow: use exact_positions()
  double error_px = 0;  // largest difference from exact projections between the nodes
  std::vector<float> column_weights;  // [width][nodes]
  std::vector<float> row_weights;     // [height][nodes]
  std::vector<float> u, v;            // [depth][nodes][nodes]
};

inline constexpr double kTableTolerance_px = 1e-3;

// Uses parallel_for.
ProjectionTable make_projection_table(const FlatWaterCamera& reference, const FlatWaterCamera& source,
                                      std::span<const float> depths_m);

// Positions at one depth by exact projection, [y][x], in the same units; 2 where there is none. Uses
// parallel_for.
void exact_positions(const FlatWaterCamera& reference, const FlatWaterCamera& source, float depth_m,
                     std::span<float> u, std::span<float> v);

}  // namespace aqbench::plane_sweep
