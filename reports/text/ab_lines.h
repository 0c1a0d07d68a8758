#pragma once
// The texts of a comparison that summary.md, the screen and the page have in common.

#include <string>
#include <vector>

#include "harness/ab/report.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns what became of a stage: "slower", "faster", "same", "unclear", or "n/a: REASON".
std::string ab_stage_text(const AbStageDecision& stage);

// Returns A and B in ms, the change and the change in ms of a stage; "n/a" where it was not compared.
std::vector<std::string> ab_stage_cells(const AbStageDecision& stage);

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
