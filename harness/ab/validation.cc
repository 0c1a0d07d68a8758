#include "harness/ab/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "harness/statistics/distributions.h"

namespace aqbench {
namespace {

void count_verdict(AbVerdict verdict, ValidationCounts& counts) {
  switch (verdict_of(verdict)) {
    case Verdict::failed_case:
      ++counts.failed;
      return;
    case Verdict::regressed:
      ++counts.slower;
      return;
    case Verdict::improved:
      ++counts.faster;
      return;
    case Verdict::pass:
      ++counts.pass;
      return;
    default:
      ++counts.open;
  }
}

std::string counts_text(const ValidationCounts& counts) {
  std::string text = fmt::format("{} pass, {} slower or worse, {} faster or better, {} open", counts.pass,
                                 counts.slower, counts.faster, counts.open);
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  return text;
}

}  // namespace

std::string AbValidation::name_of(std::size_t i) const {
  return is_delayed(i) ? fmt::format("{} {} {}", case_name, delay, i - comparisons + 1)
                       : fmt::format("{} A/A {}", case_name, i + 1);
}

ExitCode ValidationReport::exit_code() const {
  if (itself.failed + delayed.failed > 0) return ExitCode::case_failed;
  return alarm_rate_lower > kMaxAlarmRate ? ExitCode::regression : ExitCode::pass;
}

ValidationReport count_validation(const AbValidation& validation, std::span<const AbCaseReport> cases,
                                  const PairedPolicy& policy) {
  ValidationReport report;
  report.validation = validation;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    count_verdict(cases[i].verdict, validation.is_delayed(i) ? report.delayed : report.itself);
    if (validation.is_delayed(i) || !cases[i].time || !cases[i].time->comparison) continue;
    const PairedComparison& found = *cases[i].time->comparison;
    report.largest_change = std::max(report.largest_change, std::abs(change_of(found.scale, found.shift)));
  }
  report.tau = std::max(policy.tau, report.largest_change);
  const auto alarms = static_cast<std::int64_t>(report.itself.slower),
             trials = static_cast<std::int64_t>(report.itself.judged());
  if (trials == 0) return report;
  report.alarm_rate_upper = rate_upper_bound(alarms, trials, kAlarmConfidence);
  report.alarm_rate_lower = 1 - rate_upper_bound(trials - alarms, trials, kAlarmConfidence);
  return report;
}

std::vector<std::string> validation_lines(const ValidationReport& report) {
  const AbValidation& validation = report.validation;
  std::vector<std::string> lines = {
      fmt::format("{} of {} with itself: {}", counted(report.itself.judged(), "comparison"),
                  validation.case_name, counts_text(report.itself)),
      fmt::format(
          "false alarms: {} of {}: with {:.0f} % confidence the rate is below {:.2g} %{}",
          report.itself.slower, report.itself.judged(), 100 * kAlarmConfidence, 100 * report.alarm_rate_upper,
          report.alarm_rate_lower > 0 ? fmt::format(" and above {:.2g} % (limit {:.2g} %)",
                                                    100 * report.alarm_rate_lower, 100 * kMaxAlarmRate)
                                      : std::string()),
      fmt::format("largest change of a side against itself: {:.2f} %; tau of this case: {:.2f} %",
                  100 * report.largest_change, 100 * report.tau)};
  if (!validation.delay.empty())
    lines.push_back(fmt::format("{} with {} in B: {}", counted(report.delayed.judged(), "comparison"),
                                validation.delay, counts_text(report.delayed)));
  return lines;
}

}  // namespace aqbench
