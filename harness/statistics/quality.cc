#include "harness/statistics/quality.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "harness/statistics/checks.h"

namespace aqbench {
namespace {

// ln(above / below). Equal ratios give equal numbers, and swapping the two changes nothing but the sign.
double log_ratio(double above, double below) {
  return above >= below ? std::log(above / below) : -std::log(below / above);
}

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

void check(const QualityScale& scale, const std::string& name) {
  require_between(name + ": margin", scale.margin, 0, std::numeric_limits<double>::infinity());
  if (!scale.margin_absolute && scale.better == QualityScale::Better::near_ideal)
    throw usage_error("{}: margin: a share means nothing for a value that should be near {:g}", name,
                      scale.ideal);
  if (!scale.margin_absolute) require_between(name + ": margin", scale.margin, 0, 1);
}

ShiftScale quality_shift_scale(const QualityScale& quality) {
  using Better = QualityScale::Better;
  if (!quality.margin_absolute)
    return quality.better == Better::lower ? ShiftScale::log_ratio : ShiftScale::inverse_log_ratio;
  switch (quality.better) {
    case Better::lower:
      return ShiftScale::difference;
    case Better::higher:
      return ShiftScale::inverse_difference;
    case Better::near_ideal:
      break;
  }
  return ShiftScale::distance_from_ideal;
}

double worse_by(ShiftScale scale, double a, double b) {
  switch (scale) {
    case ShiftScale::log_ratio:
      return log_ratio(b, a);
    case ShiftScale::inverse_log_ratio:
      return -log_ratio(b, a);
    case ShiftScale::difference:
      return b - a;
    case ShiftScale::inverse_difference:
      return a - b;
    case ShiftScale::distance_from_ideal:
      break;
  }
  return std::abs(b) - std::abs(a);
}

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
