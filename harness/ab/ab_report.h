#pragma once
// The verdict of a comparison: accuracy first, then time.

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/ab/ab_document.h"
#include "harness/gating/gate.h"

namespace aqbench {

enum class AbVerdict {
  regressed,
  faster,
  pass,
  inconclusive,
  refused,  // too noisy to be gated here
  invalid,  // B's output is worse or is not what it should be: its time says nothing
  failed,   // a unit failed
};
std::string to_string(AbVerdict verdict);  // "REGRESSED"

struct AbCaseReport {
  std::string name;
  AbVerdict verdict = AbVerdict::inconclusive;
  std::string reason;                  // one line, empty for pass
  std::optional<AbTimeDecision> time;  // nullopt where a unit failed
  std::string outputs;                 // "identical", "differ", "not hashed", ..
  std::vector<GateRow> accuracy;       // B's metrics against A's with the default tolerances, worst first
  std::string pareto;                  // one line: time and accuracy together
};

struct AbReport {
  std::vector<AbCaseReport> cases;  // as in the samples
  std::vector<std::string> notes;

  ExitCode exit_code() const;  // of the worst: failed, regressed or invalid, inconclusive or refused
};

// Pure. Accuracy: outputs with the same hash are the same; others are held metric by metric against A's, each
// with its direction and default tolerance (harness/gating/default_tolerances.h); headline metrics decide,
// the others are shown. An output of B that changes from unit to unit while A's does not is invalid too.
// Throws as decide_times().
AbReport judge_ab(const AbDocument& document);

Json to_json(const AbReport& report);

// Markdown, for summary.md, and a table of at most 100 columns.
std::string render_ab_summary(const AbDocument& document, const AbReport& report);
std::string render_ab_table(const AbDocument& document, const AbReport& report, bool colours = false);

}  // namespace aqbench
