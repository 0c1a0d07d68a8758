#include "harness/ab/case_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/ab/outcome_decision.h"

namespace aqbench {
namespace {

std::string shift_of(const AbTimeDecision& decision) {
  if (!decision.comparison) return decision.reason;
  return shift_text(decision.comparison->scale, shown_shift(*decision.comparison).shift);
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

}  // namespace

std::string to_string(AbVerdict verdict) {
  switch (verdict) {
    case AbVerdict::regressed:
      return "REGRESSED";
    case AbVerdict::faster:
      return "FASTER";
    case AbVerdict::pass:
      return "PASS";
    case AbVerdict::inconclusive:
      return "INCONCLUSIVE";
    case AbVerdict::refused:
      return "REFUSED";
    case AbVerdict::invalid:
      return "INVALID";
    case AbVerdict::worse:
      return "WORSE";
    case AbVerdict::better:
      return "BETTER";
    case AbVerdict::equivalent:
      return "EQUIVALENT";
    case AbVerdict::trade:
      return "TRADE";
    case AbVerdict::failed:
      break;
  }
  return "FAILED";
}

bool has_metrics(const AbSettings& settings) {
  return std::ranges::any_of(settings.outcomes,
                             [](const AbOutcome& one) { return one.kind == AbOutcome::Kind::metric; });
}

void judge_outcomes(AbCaseReport& report) {
  if (report.outcomes.empty()) return;
  if (!report.time) return judge_without_time(report);
  const auto of = [&](AbOutcome::Kind kind, PairedVerdict verdict) { return listed(report, kind, verdict); };
  const bool decided = report.verdict == AbVerdict::pass || report.verdict == AbVerdict::faster;
  const auto add_reason = [&](const std::string& reason, AbVerdict verdict) {
    report.reason = reason + (report.reason.empty() ? "" : "; time: " + report.reason);
    report.verdict = verdict;
  };
  if (const std::string worse = of(AbOutcome::Kind::metric, PairedVerdict::regressed); !worse.empty()) {
    add_reason(worse, report.verdict == AbVerdict::faster      ? AbVerdict::invalid
                      : report.verdict == AbVerdict::regressed ? AbVerdict::regressed
                                                               : AbVerdict::worse);
  } else if (const std::string cost = of(AbOutcome::Kind::cost, PairedVerdict::regressed);
             !cost.empty() && report.verdict != AbVerdict::regressed) {
    add_reason(cost, AbVerdict::regressed);
  } else if (const std::string trade = of(AbOutcome::Kind::metric, PairedVerdict::trade);
             !trade.empty() && report.verdict != AbVerdict::regressed && report.verdict != AbVerdict::trade) {
    add_reason(trade, AbVerdict::trade);
  } else if (const std::string cost_trade = of(AbOutcome::Kind::cost, PairedVerdict::trade);
             !cost_trade.empty() && decided) {
    add_reason(cost_trade, AbVerdict::trade);
  } else if (const std::string open = of(AbOutcome::Kind::metric, PairedVerdict::inconclusive);
             !open.empty() && decided) {
    add_reason(open, AbVerdict::inconclusive);
  } else if (const std::string slow = costs_with_slow_runs(report); !slow.empty() && decided) {
    add_reason(slow, AbVerdict::inconclusive);
  }
}

Verdict verdict_of(AbVerdict verdict) {
  switch (verdict) {
    case AbVerdict::failed:
      return Verdict::failed_case;
    case AbVerdict::regressed:
    case AbVerdict::invalid:
    case AbVerdict::worse:
      return Verdict::regressed;
    case AbVerdict::inconclusive:
    case AbVerdict::refused:
    case AbVerdict::trade:
      return Verdict::open;
    case AbVerdict::faster:
    case AbVerdict::better:
      return Verdict::improved;
    case AbVerdict::pass:
    case AbVerdict::equivalent:
      break;
  }
  return Verdict::pass;
}

}  // namespace aqbench
