#pragma once
// The verdict of a comparison: first on accuracy, then on time.

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/ab/case_report.h"
#include "harness/ab/document.h"

namespace aqbench {

// The verdicts on all cases.
struct AbReport {
  std::vector<AbCaseReport> cases;  // in the order of the samples
  Verdicts verdicts = {};           // on them, the gravest first
  std::vector<std::string> notes;
  std::optional<ValidationReport> validation = {};  // where the cases are comparisons of one side with itself

  // Returns the code of the verdicts, of a validation its own.
  ExitCode exit_code() const;
  // Returns whether a case is a TRADE, whose exit code --allow-inconclusive does not change.
  bool has_trade() const;
};

// Judges a comparison; reads no file.
// Outputs with the same hash are the same. Different ones are gated metric by metric on A's, each metric with
// its direction and its default tolerance (harness/gating/gated_metrics.h). Headline metrics decide; the
// others are shown, and decide only where there is no headline metric. If B's output changes from unit to
// unit while A's does not, the case is invalid. Where metrics are compared over seeds or runs
// (AbSettings::outcomes), their verdicts stand in place of that: one that is WORSE makes a B that is faster
// INVALID and any other B REGRESSED. A cost counts where it is REGRESSED. Throws as decide_cases().
AbReport judge_ab(const AbDocument& document);

}  // namespace aqbench
