#pragma once
// Compares results with a baseline, for each case and metric separately; nothing is averaged. What cannot be
// compared never passes.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/gating/verdicts.h"
#include "harness/records/load.h"
#include "harness/records/results.h"

namespace aqbench {

// The part of its suite that a run has.
struct PartOfSuite {
  std::vector<std::string> asked_scenes, asked_methods,
      asked_workloads;                                  // filters; all empty: the whole suite
  std::vector<std::string> scenes, methods, workloads;  // that have cases

  // Returns whether the filters leave out a case of this name: its scene, method or workload has no case in
  // the run.
  bool leaves_out(const std::string& case_name) const;

  // Returns "a part of the suite (--method x): 3 accepted cases were not asked for: NAME, ...", with at most
  // 20 names.
  std::string note(const std::vector<std::string>& left_out) const;
};

// Returns the part from the request and the effective options; the whole suite where the run has none.
PartOfSuite part_of_suite(const Results& results);

// In a run with more cases than this, passing values are counted but not listed.
inline constexpr std::size_t kMaxCasesListed = 5000;

// The options of one case, with those at their defaults separate (harness/records/case.h).
struct CaseOptions {
  const NamedValues& options;
  const NamedValues& defaults;
};

// Returns "option roma_like.points is 3000, was 2000" for each option that differs. A missing one
// differs unless the other side has its default: the side may be older than the option.
std::vector<std::string> option_differences(const CaseOptions& baseline, const CaseOptions& current);
std::vector<std::string> option_differences(const BaselineCase& baseline, const Record& current);

// Compares two finite values: pass, or regressed or improved by more than the tolerance. Sets `excess` as in
// VerdictRow.
Verdict judge_value(const std::string& metric, const BaselineMetric& accepted, double current,
                    double& excess);

// Compares results with a baseline; reads no file. If nothing decides (all values are new or informational,
// or the suite differs) the report has a refusal.
Verdicts gate(const Results& results, const Baseline& baseline);

// Adds rows "time_median" and "throughput" for the times stored in the baseline, with a limit of 5 % worse; a
// time missing in the results is `missing`. Where either run says more by CPU time (is_better_by_cpu()) and
// both have it, "cpu_median" stands in their place. Throws Error(not_comparable) if none are stored, or if
// machine or build differ, naming the difference.
void gate_stored_times(const Results& results, const Baseline& baseline, Verdicts& report,
                       DecideBy decide_by = DecideBy::automatic);

}  // namespace aqbench
