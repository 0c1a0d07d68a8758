#include "harness/statistics/quality.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

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

void judge_quality(PairedComparison& result) {
  const auto range = [&](double shift) { return shift_text(result.scale, shift); };
  const double margin = result.pass_below, within = margin * (1 - kThresholdRounding);
  if (result.interval.upper < within && result.interval.lower > -within) {
    result.verdict = PairedVerdict::pass;
    return;
  }
  const bool worse = result.p_worse_holm <= result.level && result.shift > 0;
  const bool better = result.p_better_holm <= result.level && result.shift < 0;
  const double p = result.shift > 0 ? result.p_worse_holm : result.p_better_holm;
  if (worse || better) {
    result.verdict = worse ? PairedVerdict::regressed : PairedVerdict::faster;
    result.reason = fmt::format("shift {}, p {:.2g} (two-sided, after Holm) is at most {:.2g}",
                                range(result.shift), p, result.level);
    return;
  }
  result.verdict = PairedVerdict::inconclusive;
  // Where higher is better, the worst end of the interval is the smallest change of the metric.
  const bool turned = change_of(result.scale, margin) < 0;
  const auto [smallest, largest] = turned ? std::pair(result.interval.upper, result.interval.lower)
                                          : std::pair(result.interval.lower, result.interval.upper);
  result.reason = fmt::format(
      "the interval {} .. {} is not within the margin {}, and p {:.2g} after Holm is above {:.2g}",
      range(smallest), range(largest), range(margin), p, result.level);
}

}  // namespace aqbench
