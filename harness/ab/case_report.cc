#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "harness/ab/decision.h"
#include "harness/ab/report.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

struct VerdictMeaning {
  AbVerdict verdict;
  std::string_view name;
  Verdict means;
};
constexpr VerdictMeaning kMeanings[] = {{AbVerdict::regressed, "REGRESSED", Verdict::regressed},
                                        {AbVerdict::faster, "FASTER", Verdict::improved},
                                        {AbVerdict::pass, "PASS", Verdict::pass},
                                        {AbVerdict::inconclusive, "INCONCLUSIVE", Verdict::open},
                                        {AbVerdict::refused, "REFUSED", Verdict::open},
                                        {AbVerdict::invalid, "INVALID", Verdict::regressed},
                                        {AbVerdict::failed, "FAILED", Verdict::failed_case},
                                        {AbVerdict::trade, "TRADE", Verdict::open},
                                        {AbVerdict::worse, "WORSE", Verdict::regressed},
                                        {AbVerdict::better, "BETTER", Verdict::improved},
                                        {AbVerdict::equivalent, "EQUIVALENT", Verdict::pass}};

const VerdictMeaning& meaning_of(AbVerdict verdict) {
  return *std::ranges::find(kMeanings, verdict, &VerdictMeaning::verdict);
}

std::string shift_of(const AbTimeDecision& decision) {
  if (!decision.comparison) return decision.reason;
  const PairedComparison& c = *decision.comparison;
  const std::string shift = shift_text(c.scale, shown_shift(c).shift);
  if (decision.verdict != PairedVerdict::inconclusive || !c.pairs_needed) return shift;
  return fmt::format("{}; about {} pairs would settle it, {} more", shift, *c.pairs_needed,
                     *c.pairs_needed - c.measured_pairs);
}

// "accuracy_rmse_mm WORSE (+5.10 %), ..." of the outcomes with this verdict.
std::string listed(const AbCaseReport& report, AbOutcome::Kind kind, PairedVerdict verdict) {
  std::string text;
  for (const auto& [outcome, decision] : report.outcomes)
    if (outcome.kind == kind && decision.verdict == verdict)
      text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", outcome.name,
                          outcome_verdict_text(outcome, verdict), shift_of(decision));
  return text;
}

// Returns the open costs where B certainly has more slow runs, with their reasons; "" if there are none.
std::string costs_with_slow_runs(const AbCaseReport& report) {
  std::string text;
  for (const auto& [outcome, decision] : report.outcomes)
    if (outcome.kind == AbOutcome::Kind::cost && decision.verdict == PairedVerdict::inconclusive &&
        decision.comparison && decision.comparison->slow_runs.more())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", outcome.name, decision.reason);
  return text;
}

// The verdict of metrics alone.
void judge_without_time(AbCaseReport& report) {
  const auto of = [&](PairedVerdict verdict) { return listed(report, AbOutcome::Kind::metric, verdict); };
  for (const auto& [found, verdict] : {std::pair(PairedVerdict::regressed, AbVerdict::worse),
                                       {PairedVerdict::trade, AbVerdict::trade},
                                       {PairedVerdict::inconclusive, AbVerdict::inconclusive},
                                       {PairedVerdict::faster, AbVerdict::better}}) {
    report.verdict = verdict;
    report.reason = of(found);
    if (!report.reason.empty()) return;
  }
  report.verdict = AbVerdict::equivalent;
}

std::string counts_text(const ValidationCounts& counts) {
  std::string text = fmt::format("{} pass, {} slower or worse, {} faster or better, {} open", counts.pass,
                                 counts.slower, counts.faster, counts.open);
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  return text;
}

}  // namespace

std::string to_string(AbVerdict verdict) { return std::string(meaning_of(verdict).name); }

Verdict verdict_of(AbVerdict verdict) { return meaning_of(verdict).means; }

AbVerdict ab_verdict_of(PairedVerdict verdict) {
  return std::ranges::find(kMeanings, to_string(verdict), &VerdictMeaning::name)->verdict;
}

bool has_metrics(const AbSettings& settings) {
  return std::ranges::any_of(settings.outcomes,
                             [](const AbOutcome& one) { return one.kind == AbOutcome::Kind::metric; });
}

void judge_outcomes(AbCaseReport& report) {
  if (report.outcomes.empty()) return;
  if (!report.time) return judge_without_time(report);
  const AbVerdict of_time = report.verdict;
  const auto of = [&](AbOutcome::Kind kind, PairedVerdict verdict) { return listed(report, kind, verdict); };
  const bool slower = of_time == AbVerdict::regressed, faster = of_time == AbVerdict::faster;
  const bool decided = of_time == AbVerdict::pass || faster;
  // The first that applies.
  const struct {
    bool applies;
    std::string reason;
    AbVerdict verdict;
  } rules[] = {{true, of(AbOutcome::Kind::metric, PairedVerdict::regressed),
                slower ? AbVerdict::regressed : AbVerdict::worse},
               {!slower, of(AbOutcome::Kind::cost, PairedVerdict::regressed), AbVerdict::regressed},
               {!slower && of_time != AbVerdict::trade, of(AbOutcome::Kind::metric, PairedVerdict::trade),
                AbVerdict::trade},
               {decided, of(AbOutcome::Kind::cost, PairedVerdict::trade), AbVerdict::trade},
               {decided, of(AbOutcome::Kind::metric, PairedVerdict::inconclusive), AbVerdict::inconclusive},
               {decided, costs_with_slow_runs(report), AbVerdict::inconclusive}};
  for (const auto& [applies, reason, verdict] : rules) {
    if (!applies || reason.empty()) continue;
    report.reason = reason + (report.reason.empty() ? "" : "; time: " + report.reason);
    report.verdict = verdict;
    return;
  }
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
    ValidationCounts& counts = validation.is_delayed(i) ? report.delayed : report.itself;
    const Verdict verdict = verdict_of(cases[i].verdict);
    ++(verdict == Verdict::failed_case ? counts.failed
       : verdict == Verdict::regressed ? counts.slower
       : verdict == Verdict::improved  ? counts.faster
       : verdict == Verdict::pass      ? counts.pass
                                       : counts.open);
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
