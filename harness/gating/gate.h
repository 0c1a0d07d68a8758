#pragma once
// Compares results with a baseline, for each case and metric separately; nothing is averaged. What cannot be
// compared never passes.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/gating/baseline.h"
#include "harness/records/results.h"

namespace aqbench {

// The outcome of a case or metric, worst first.
enum class Verdict {
  failed_case,     // the record failed, crashed or timed out
  not_comparable,  // options differ, or a metric changed its direction
  missing,         // in the baseline but not in the results
  undefined,       // null, NaN or infinite, or a baseline of 0 with a relative tolerance
  regressed,
  improved,  // better by more than the tolerance
  added,     // only in the results, and it did not fail: reported, not gated
  pass,
};
// Returns "failed case", "not comparable", ..., "new" for added.
std::string to_string(Verdict verdict);

// Returns whether a value or case with this verdict keeps the gate from passing.
constexpr bool is_refused(Verdict verdict) { return verdict < Verdict::improved; }

// The verdict on one metric, or on a whole case.
struct GateRow {
  std::string case_name;
  std::string metric;  // "" for the whole case
  Verdict verdict = Verdict::pass;
  std::string unit;
  std::optional<double> baseline, current;
  std::optional<Tolerance> tolerance;
  double excess = 0;        // deterioration / tolerance: 1 is the limit, negative is better
  std::string reason;       // one line; empty for pass
  bool only_shown = false;  // informational: its value decides nothing
};

// In a run with more cases than this, passing values are counted but not listed.
inline constexpr std::size_t kMaxCasesListed = 5000;

// All verdicts on a run.
struct GateReport {
  std::vector<GateRow> rows;        // worst first
  std::size_t unlisted_passes = 0;  // values that passed without a row
  std::vector<std::string> notes;   // not verified, interrupted, another suite
  std::string refusal;              // why nothing was compared (results against themselves); else empty

  // Returns the number of values or cases with this verdict, listed or not.
  std::size_t count(Verdict verdict) const;
  // Returns case_failed if a case failed, crashed or timed out, in the baseline or not; else not_comparable;
  // else regression; else pass.
  ExitCode exit_code() const;
};

// The options of one case, with those at their defaults separate (harness/records/case.h).
struct CaseOptions {
  const NamedValues& options;
  const NamedValues& defaults;
};

// Returns "option roma_like.points is 3000, baseline 2000" for each option that differs. A missing one
// differs unless the other side has its default: the side may be older than the option.
std::vector<std::string> option_differences(const CaseOptions& baseline, const CaseOptions& current);
std::vector<std::string> option_differences(const BaselineCase& baseline, const Record& current);

// Compares two finite values: pass, or regressed or improved by more than the tolerance. Sets `excess` as in
// GateRow.
Verdict judge_value(const std::string& metric, const BaselineMetric& accepted, double current,
                    double& excess);

// Compares results with a baseline; reads no file. If nothing decides (all values are new or informational,
// or the suite differs) the report has a refusal.
GateReport gate(const Results& results, const Baseline& baseline);

// Adds rows "time_median" and "throughput" for the times stored in the baseline, with a limit of 5 % worse; a
// time missing in the results is `missing`. Throws Error(not_comparable) if none are stored, or if machine or
// build differ, naming the difference.
void gate_stored_times(const Results& results, const Baseline& baseline, GateReport& report);

}  // namespace aqbench
