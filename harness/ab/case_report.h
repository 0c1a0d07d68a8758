#pragma once
// The verdict on one case, and what costs and metrics beside its wall time mean for it.

#include <optional>
#include <string>
#include <vector>

#include "harness/ab/decision.h"
#include "harness/ab/layout.h"
#include "harness/gating/verdicts.h"

namespace aqbench {

// What became of one case.
enum class AbVerdict {
  regressed,
  faster,
  pass,
  inconclusive,
  refused,  // too noisy on this machine to be gated
  invalid,  // B's output is worse than A's or unsteady, so B's time says nothing
  failed,   // a unit failed
  trade,    // the typical run and the share of slow runs point in opposite directions
  // Where metrics decide:
  worse,
  better,
  equivalent,
};
// Returns "REGRESSED" and so on.
std::string to_string(AbVerdict verdict);
// Returns what a verdict means for a list of verdicts: failed_case, regressed, open, improved or pass.
Verdict verdict_of(AbVerdict verdict);

// The verdict on one outcome of a case beside its wall time.
struct AbOutcomeReport {
  AbOutcome outcome;
  AbTimeDecision decision;  // its medians are in the outcome's unit
};

// The verdict on one case and what it follows from.
struct AbCaseReport {
  std::string name;
  AbVerdict verdict = AbVerdict::inconclusive;
  std::string reason;                          // one line, empty for pass
  std::optional<AbTimeDecision> time;          // nullopt where a unit failed or wall times are not judged
  std::vector<AbOutcomeReport> outcomes = {};  // empty where a unit failed
  std::optional<LayoutShare> layout = {};      // where units drew code layouts
  std::string outputs;                         // "identical", "differ", "not hashed", "vary: 1 of A, 2 of B"
  std::vector<VerdictRow> accuracy;  // B's metrics gated on A's with the default tolerances, worst first
  std::string pareto;                // one line: time and accuracy together
};

// Returns whether metrics are compared over seeds or runs.
bool has_metrics(const AbSettings& settings);

// Changes the verdict of a case by its outcomes. Before the call it must be the verdict on the wall time,
// where that is judged.
void judge_outcomes(AbCaseReport& report);

}  // namespace aqbench
