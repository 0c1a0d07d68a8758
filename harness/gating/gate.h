#pragma once
// Results against a baseline, for each case and metric on its own; nothing is averaged first. What cannot be
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

// What became of one case or metric, worst first.
enum class Verdict {
  failed_case,     // the record failed, crashed or timed out
  not_comparable,  // the options differ, or a metric changed its direction
  missing,         // in the baseline and not in the results
  undefined,       // null, NaN or infinite, or a baseline of 0 with a relative tolerance
  regressed,
  improved,  // better by more than the tolerance
  added,     // in the results alone, and it did not fail: reported, not gated
  pass,
};
// Returns "failed case", "not comparable", ..., "new" for added.
std::string to_string(Verdict verdict);

// The verdict on one metric, or on a whole case.
struct GateRow {
  std::string case_name;
  std::string metric;  // "" for the whole case
  Verdict verdict = Verdict::pass;
  std::string unit;
  std::optional<double> baseline, current;
  std::optional<Tolerance> tolerance;
  double excess = 0;        // change for the worse / tolerance: 1 is the limit, negative is better
  std::string reason;       // one line; empty for pass
  bool only_shown = false;  // shown for information: its value, whatever it is, decides nothing
};

// In a run with more cases than this, values that pass are counted and have no rows of their own.
inline constexpr std::size_t kMaxCasesListed = 5000;

// All verdicts on a run.
struct GateReport {
  std::vector<GateRow> rows;        // worst first
  std::size_t unlisted_passes = 0;  // values that passed and have no row
  std::vector<std::string> notes;   // not verified, interrupted, another suite
  std::string refusal;              // why nothing was compared (results against themselves); else empty

  // Returns how many values or cases have this verdict, with a row or without.
  std::size_t count(Verdict verdict) const;
  // Returns case_failed if a case failed, crashed or timed out, whether it is in the baseline or not; else
  // not_comparable; else regression; else pass.
  ExitCode exit_code() const;
};

// The options of one case, apart from those at their defaults (harness/records/case.h).
struct CaseOptions {
  const NamedValues& options;
  const NamedValues& defaults;
};

// Returns "option roma_like.points is 3000, baseline 2000" for each option that differs. One that a side
// lacks differs unless it is at its default: the side may be older than the option.
std::vector<std::string> option_differences(const CaseOptions& baseline, const CaseOptions& current);

// Returns whether a value passes against an accepted one, or is regressed or improved by more than the
// tolerance; both are finite. `excess` becomes that of GateRow.
Verdict judge_value(const std::string& metric, const BaselineMetric& accepted, double current,
                    double& excess);

// Compares results with a baseline; reads no file. Where no value and no case decides anything, all being new
// or only shown, or the suite is another one, nothing was compared: the report has a refusal.
GateReport gate(const Results& results, const Baseline& baseline);

// Adds rows "time_median" and "throughput" for the times that the baseline stores, 5 % worse being the limit;
// a time that the results lack is missing. Throws Error(not_comparable) if it stores none, or if machine or
// build are of another kind, naming what differs.
void gate_stored_times(const Results& results, const Baseline& baseline, GateReport& report);

}  // namespace aqbench
