#include "harness/statistics/quality.h"

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

}  // namespace

void check(const QualityScale& scale, const std::string& name) {
  require_between(name + ": margin", scale.margin, 0, std::numeric_limits<double>::infinity());
  if (!scale.margin_absolute && scale.better == QualityScale::Better::near_ideal)
    throw Error(ErrorKind::usage,
                fmt::format("{}: margin: a share means nothing for a value that should be near {:g}", name,
                            scale.ideal));
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

}  // namespace aqbench
