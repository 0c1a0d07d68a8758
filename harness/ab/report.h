#pragma once
// The verdict of a comparison: first on accuracy, then on time.

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/ab/document.h"
#include "harness/gating/gate.h"

namespace aqbench {

// Says what became of one case.
enum class AbVerdict {
  regressed,
  faster,
  pass,
  inconclusive,
  refused,  // too noisy on this machine to be gated
  invalid,  // B's output is worse than A's or unsteady, so B's time says nothing
  failed,   // a unit failed
};
// Returns "REGRESSED" and so on.
std::string to_string(AbVerdict verdict);

// Holds the verdict on one case and what it follows from.
struct AbCaseReport {
  std::string name;
  AbVerdict verdict = AbVerdict::inconclusive;
  std::string reason;                  // one line, empty for pass
  std::optional<AbTimeDecision> time;  // nullopt where a unit failed
  std::string outputs;                 // "identical", "differ", "not hashed", "vary: 1 of A, 2 of B"
  std::vector<GateRow> accuracy;       // B's metrics gated on A's with the default tolerances, worst first
  std::string pareto;                  // one line: time and accuracy together
};

// Holds the verdicts on all cases.
struct AbReport {
  std::vector<AbCaseReport> cases;  // in the order of the samples
  std::vector<std::string> notes;

  // Returns the code of the gravest case: failed before regressed or invalid before inconclusive or refused.
  ExitCode exit_code() const;
};

// Judges a comparison; reads no file.
// Outputs with the same hash are the same. Different ones are gated metric by metric on A's, each metric with
// its direction and its default tolerance (harness/gating/default_tolerances.h). Headline metrics decide; the
// others are shown, and decide only where there is no headline metric. If B's output changes from unit to
// unit while A's does not, the case is invalid. Throws as decide_times().
AbReport judge_ab(const AbDocument& document);

}  // namespace aqbench
