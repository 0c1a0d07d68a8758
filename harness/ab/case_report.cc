#include "harness/ab/case_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/ab/outcome_decision.h"

namespace aqbench {
namespace {

std::string shift_of(const AbTimeDecision& decision) {
  if (!decision.comparison) return decision.reason;
  return shift_text(decision.comparison->scale, decision.comparison->shift);
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

// The verdict of metrics alone.
void judge_without_time(AbCaseReport& report) {
  const auto of = [&](PairedVerdict verdict) { return listed(report, AbOutcome::Kind::metric, verdict); };
  const std::string worse = of(PairedVerdict::regressed), better = of(PairedVerdict::faster),
                    open = of(PairedVerdict::inconclusive);
  report.verdict = !worse.empty()    ? AbVerdict::worse
                   : !open.empty()   ? AbVerdict::inconclusive
                   : !better.empty() ? AbVerdict::better
                                     : AbVerdict::equivalent;
  report.reason = !worse.empty() ? worse : !open.empty() ? open : better;
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
  if (const std::string worse = of(AbOutcome::Kind::metric, PairedVerdict::regressed); !worse.empty()) {
    report.reason = worse + (report.reason.empty() ? "" : "; time: " + report.reason);
    report.verdict = report.verdict == AbVerdict::faster      ? AbVerdict::invalid
                     : report.verdict == AbVerdict::regressed ? AbVerdict::regressed
                                                              : AbVerdict::worse;
  } else if (const std::string cost = of(AbOutcome::Kind::cost, PairedVerdict::regressed);
             !cost.empty() && report.verdict != AbVerdict::regressed) {
    report.reason = cost + (report.reason.empty() ? "" : "; time: " + report.reason);
    report.verdict = AbVerdict::regressed;
  } else if (const std::string open = of(AbOutcome::Kind::metric, PairedVerdict::inconclusive);
             !open.empty() && decided) {
    report.reason = open + (report.reason.empty() ? "" : "; time: " + report.reason);
    report.verdict = AbVerdict::inconclusive;
  }
}

ExitCode code_of(AbVerdict verdict) {
  switch (verdict) {
    case AbVerdict::failed:
      return ExitCode::case_failed;
    case AbVerdict::regressed:
    case AbVerdict::invalid:
    case AbVerdict::worse:
      return ExitCode::regression;
    case AbVerdict::inconclusive:
    case AbVerdict::refused:
      return ExitCode::inconclusive;
    case AbVerdict::faster:
    case AbVerdict::pass:
    case AbVerdict::better:
    case AbVerdict::equivalent:
      break;
  }
  return ExitCode::pass;
}

}  // namespace aqbench
