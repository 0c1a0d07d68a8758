#pragma once
// The texts of a comparison that summary.md, the screen and the page have in common.

#include <string>
#include <vector>

#include "harness/ab/report.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns how many pairs that rests on: all for PASS and INCONCLUSIVE, else those that were kept.
std::string ab_kept_text(const PairedComparison& comparison);

// Returns what became of a stage: "slower", "faster", "same", "unclear", or "n/a: REASON".
std::string ab_stage_text(const AbStageDecision& stage);

// One thing that is judged of a case, as the cells of a table: "n/a" where nothing could be compared.
struct AbJudgedText {
  std::string name, unit;  // "wall time", "ms"; the unit is empty where there is none
  std::string verdict;  // of a metric BETTER, WORSE, EQUIVALENT; of times and costs REGRESSED, FASTER, PASS
  std::string a, b, change, interval, kept;
  PairedVerdict found = PairedVerdict::inconclusive;
};

// Returns what is judged of a case, the wall time first where it is judged; nothing where a unit failed.
std::vector<AbJudgedText> ab_judged_texts(const AbCaseReport& one);

// Returns lines, without markup, with what the verdict on a case follows from.
std::vector<std::string> ab_case_lines(const AbCaseReport& one, const AbSettings& settings);

// Returns a line about a side: label, command or build, hash.
std::string ab_side_line(const AbSideInfo& side);

// The rate that a simulation from measured noise gives: tests/harness/statistics/paired_simulation_test.cc
// holds it.
inline constexpr const char* kFalseAlarmLine =
    "A/A rate behind it: 0.02 % false \"slower\" at tau 2 % (20 pairs, simulated from measured noise); "
    "this machine's: aqbench ab --calibrate";

// Returns what a comparison comes to; of a validation its counts.
Banner banner_of(const AbReport& report);

// Returns a line that says what a unit was: "units: a newly started process each, ...".
std::string ab_units_line(const AbRunInfo& run);

}  // namespace aqbench
