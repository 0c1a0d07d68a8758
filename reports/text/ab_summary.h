#pragma once
// A comparison for people: summary.md of its bundle, the table on the screen, and the texts that both have in
// common with the page.

#include <string>
#include <vector>

#include "core/table.h"
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

// Returns summary.md, as Markdown.
std::string render_ab_summary(const AbDocument& document, const AbReport& report);

// Returns a table of the cases, a sentence for each, and the banner as the last line.
std::string render_ab_table(const AbDocument& document, const AbReport& report, bool colours = false,
                            std::size_t width = kScreenColumns);

}  // namespace aqbench
