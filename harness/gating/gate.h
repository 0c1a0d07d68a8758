#pragma once
// Results against a baseline: per case and metric, never averaged first. What cannot be compared never
// passes.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/gating/baseline.h"
#include "harness/records/results.h"

namespace aqbench {

enum class Verdict {
  failed_case,     // the record is failed, crashed or timed out
  not_comparable,  // other options, or a metric that changed its direction
  missing,         // case or metric in the baseline, not in the results
  undefined,       // null, NaN or infinite, or a zero baseline with a relative tolerance
  regressed,
  improved,  // better by more than the tolerance
  added,     // in the results only, and it did not fail: reported, not gated
  pass,
};
std::string to_string(Verdict verdict);

struct GateRow {
  std::string case_name;
  std::string metric;  // "" for a row about the whole case
  Verdict verdict = Verdict::pass;
  std::string unit;
  std::optional<double> baseline, current;
  std::optional<Tolerance> tolerance;
  double excess = 0;   // change for the worse / tolerance: 1 is the limit, negative is better
  std::string reason;  // one line; empty for pass
};

struct GateReport {
  std::vector<GateRow> rows;       // worst first
  std::vector<std::string> notes;  // not verified, interrupted, another suite
  std::string refusal;             // not empty: nothing was compared, and why (self comparison)

  std::size_t count(Verdict verdict) const;
  // case_failed if a case failed, crashed or timed out, in the baseline or not; else not_comparable; else
  // regression; else pass.
  ExitCode exit_code() const;
};

// "option roma_like.points is 3000, baseline 2000", one for each that differs or stands on one side alone.
std::vector<std::string> option_differences(
    const std::vector<std::pair<std::string, ParameterValue>>& baseline,
    const std::vector<std::pair<std::string, ParameterValue>>& current);

// Pure: reads no file.
GateReport gate(const Results& results, const Baseline& baseline);

// A table of all that did not simply pass, worst first, improvements too, and a last line with the counts.
// `all`: passing rows as well. At most 100 columns.
std::string render_gate(const GateReport& report, bool colours = false, bool all = false);

// One line without the case: "accuracy_mean_mm is 0.83 mm, baseline 0.79, +5.06 %, allowed ± 5 %: regressed".
std::string gate_row_text(const GateRow& row);

// What a gate decides on and what not; every rendering of a report says it.
inline constexpr const char* kGatePolicy =
    "accuracy and tensor memory are gated; time is not: it is compared in pairs alone (aqbench ab)";

}  // namespace aqbench
