#pragma once
// Composite Gauss-Legendre quadrature.

#include <cstddef>
#include <vector>

namespace aqbench {

struct QuadratureLine {
  std::vector<double> at, weight;  // the integral of f is about the sum of weight * f(at)
};

// `panels` equal panels of 12 points each over [low, high]: exact for polynomials of degree 23.
QuadratureLine gauss_legendre(double low, double high, std::size_t panels);

}  // namespace aqbench
