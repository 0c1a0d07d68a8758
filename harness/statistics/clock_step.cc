#include "harness/statistics/clock_step.h"

#include <algorithm>
#include <cmath>

namespace aqbench {
namespace {

constexpr double kTolerance = 1e-6;  // of a step
constexpr double kSmallest = 1e-5;   // of the smallest value; less is nothing
constexpr double kRounding = 1e-8;   // of the largest value

// Euclid's algorithm. A remainder that is small against its divisor or the values is rounding.
double common_step(double a, double b, double rounding) {
  while (b > std::max(kTolerance * a, rounding)) {
    const double remainder = std::abs(a - std::round(a / b) * b);
    a = b;
    b = remainder;
  }
  return a;
}

}  // namespace

std::optional<double> clock_step(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const auto [smallest, largest] = std::ranges::minmax(values);
  double step = largest;
  for (const double value : values) {
    step = common_step(std::max(step, value), std::min(step, value), kRounding * largest);
    if (!(step >= kSmallest * smallest)) return std::nullopt;
    step = largest / std::round(largest / step);  // the remainders have the rounding of all values before
  }
  // Least squares: what Euclid's algorithm leaves has the rounding of single values.
  double products = 0, squares = 0;
  for (const double value : values) {
    const double multiple = std::round(value / step);
    products += value * multiple;
    squares += multiple * multiple;
  }
  step = products / squares;
  for (const double value : values)
    if (!(std::abs(value - std::round(value / step) * step) <= kTolerance * step)) return std::nullopt;
  return step;
}

}  // namespace aqbench
