#pragma once
// Composite Gauss-Legendre quadrature.

#include <cstddef>
#include <vector>

namespace aqbench {

// Places and weights of a quadrature: the integral of f is about the sum of weight[i] * f(at[i]).
struct QuadratureLine {
  std::vector<double> at, weight;
};

// Returns the quadrature over [low, high] with `panels` equal panels of 12 points each; exact for polynomials
// of degree 23 (Abramowitz and Stegun, table 25.4).
QuadratureLine gauss_legendre(double low, double high, std::size_t panels);

}  // namespace aqbench
