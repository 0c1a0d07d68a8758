#include "harness/statistics/paired_comparison.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace aqbench {
namespace {

// Three digits, two decimals at most: "+5.10 %", "-60.9 %", "+812 %".
std::string percent_text(double percent) {
  const double size = std::abs(percent);
  if (size < 0.005) return "+0.00 %";
  return fmt::format("{:+.{}f} %", percent, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace

std::string to_string(PairedVerdict verdict) {
  switch (verdict) {
    case PairedVerdict::regressed:
      return "REGRESSED";
    case PairedVerdict::faster:
      return "FASTER";
    case PairedVerdict::pass:
      return "PASS";
    case PairedVerdict::inconclusive:
      return "INCONCLUSIVE";
    case PairedVerdict::refused:
      return "REFUSED";
    case PairedVerdict::trade:
      return "TRADE";
  }
  throw Error(ErrorKind::input, "verdict: not one of the known ones");
}

double change_of(ShiftScale scale, double shift) {
  switch (scale) {
    case ShiftScale::log_ratio:
      return std::expm1(shift);
    case ShiftScale::inverse_log_ratio:
      return std::expm1(-shift);
    case ShiftScale::difference:
    case ShiftScale::distance_from_ideal:
      return shift;
    case ShiftScale::inverse_difference:
      return -shift;
  }
  throw Error(ErrorKind::input, "scale: not one of the known ones");
}

bool is_difference(ShiftScale scale) {
  return scale != ShiftScale::log_ratio && scale != ShiftScale::inverse_log_ratio;
}

std::string shift_text(ShiftScale scale, double shift) {
  const double change = change_of(scale, shift);
  return is_difference(scale) ? fmt::format("{:+.3g}", change) : percent_text(100 * change);
}

bool rests_on_all_pairs(const PairedComparison& comparison) {
  if (comparison.quality || (comparison.verdict == PairedVerdict::pass && comparison.slow_runs.fewer()))
    return false;  // of a PASS in which A alone has a slow mode the usual runs are of interest
  return comparison.verdict == PairedVerdict::pass || comparison.verdict == PairedVerdict::inconclusive;
}

EstimatedShift shown_shift(const PairedComparison& comparison) {
  if (rests_on_all_pairs(comparison)) return comparison.whole;
  return {comparison.shift, comparison.interval};
}

std::string verdict_text(const PairedComparison& comparison) {
  return comparison.quality ? quality_text(comparison.verdict) : to_string(comparison.verdict);
}

std::string quality_text(PairedVerdict verdict) {
  switch (verdict) {
    case PairedVerdict::regressed:
      return "WORSE";
    case PairedVerdict::faster:
      return "BETTER";
    case PairedVerdict::pass:
      return "EQUIVALENT";
    default:
      return to_string(verdict);
  }
}

}  // namespace aqbench
