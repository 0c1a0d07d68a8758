#include "reports/tables/record_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/records/case.h"
#include "metrics/metric.h"

namespace aqbench {
namespace {

constexpr const char* kLeftOut[] = {"points_outside_crop", "points_beyond_border",
                                    "points_beyond_max_distance"};

}  // namespace

std::optional<double> RecordValues::value(std::string_view metric) const {
  const Metric* const found = find_metric(record_.metrics, metric);
  return found == nullptr ? std::nullopt : found->value;
}

std::optional<double> RecordValues::scored_points() const {
  const auto all = value("points"), outside = value("points_outside_patch"),
             lost = value("points_non_finite");
  if (!all || !outside || !lost) return std::nullopt;
  double scored = *all - *outside - *lost;
  for (const char* const left_out : kLeftOut) scored -= value(left_out).value_or(0);
  return scored;
}

bool RecordValues::is_partial() const {
  return std::ranges::any_of(kLeftOut, [&](const char* name) { return value(name).has_value(); });
}

bool RecordValues::is_of_default_scoring() const {
  return !record_.scene.starts_with(kDatasetPrefix) &&
         std::ranges::none_of(record_.options,
                              [](const auto& option) { return option.first.starts_with("scoring."); });
}

void RecordValues::compare(const std::string& metric, double computed) {
  constexpr double kDigits = 1e-11;  // what is printed in full
  const auto recorded = value(metric);
  if (!recorded) return;
  if (!(std::abs(*recorded - computed) <= kDigits * (1e-9 + std::abs(computed)) + 1e-12))
    report(fmt::format("gives {} {:.9g}, the record says {:.9g}", metric, computed, *recorded));
}

void RecordValues::compare(const std::string& metric, const ErrorRange& computed, double slack) {
  const auto recorded = value(metric);
  if (!recorded || (*recorded >= computed.low - slack && *recorded <= computed.high + slack)) return;
  report(fmt::format("gives {} {:.6g} to {:.6g}, the record says {:.9g}", metric, computed.low, computed.high,
                     *recorded));
}

}  // namespace aqbench
