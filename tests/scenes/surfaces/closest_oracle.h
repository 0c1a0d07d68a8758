#pragma once
// The closest distance by brute force, from heights alone: plain, slow, independent of derivatives.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// Walks downhill on a 3 x 3 stencil that shrinks where it finds nothing lower.
inline double refine_distance(const HeightField& field, const Vec3& p, double x, double y, double step_m) {
  const auto squared = [&](double at_x, double at_y) {
    return (Vec3(at_x, at_y, field.jet(at_x, at_y).z) - p).squaredNorm();
  };
  double best = squared(x, y);
  while (step_m > 1e-9) {
    double next_x = x, next_y = y;
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        const double here = squared(x + i * step_m, y + j * step_m);
        if (here < best) {
          best = here;
          next_x = x + i * step_m;
          next_y = y + j * step_m;
        }
      }
    }
    if (next_x == x && next_y == y) step_m /= 2;
    x = next_x;
    y = next_y;
  }
  return std::sqrt(best);
}

// The smallest distance over a grid of the disc that the surface straight below bounds, refined from every
// local minimum of the grid.
inline double brute_force_distance(const HeightField& field, const Vec3& p, double grid_m) {
  const double reach = std::abs(field.jet(p.x(), p.y()).z - p.z());
  const int n = static_cast<int>(std::ceil(reach / grid_m)) + 1, side = 2 * n + 1;
  std::vector<double> squared(static_cast<std::size_t>(side * side));
  const auto at = [&](int i, int j) -> double& {
    return squared[static_cast<std::size_t>((j + n) * side + i + n)];
  };
  for (int j = -n; j <= n; ++j) {
    for (int i = -n; i <= n; ++i) {
      const double x = p.x() + i * grid_m, y = p.y() + j * grid_m;
      at(i, j) = (Vec3(x, y, field.jet(x, y).z) - p).squaredNorm();
    }
  }
  const double lowest = std::sqrt(*std::ranges::min_element(squared));
  double best = reach;
  for (int j = -n; j <= n; ++j) {
    for (int i = -n; i <= n; ++i) {
      if (std::sqrt(at(i, j)) > lowest + grid_m) continue;  // too far for a cell to make good
      bool local = true;
      for (int dj = std::max(-n, j - 1); dj <= std::min(n, j + 1); ++dj)
        for (int di = std::max(-n, i - 1); di <= std::min(n, i + 1); ++di)
          local = local && at(i, j) <= at(di, dj);
      if (local)
        best = std::min(best, refine_distance(field, p, p.x() + i * grid_m, p.y() + j * grid_m, grid_m));
    }
  }
  return best;
}

}  // namespace aqbench
