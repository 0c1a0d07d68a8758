#pragma once
// Interpolation at Chebyshev points on [-1, 1].

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

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

}  // namespace aqbench
