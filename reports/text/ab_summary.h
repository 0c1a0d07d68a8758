#pragma once
// A comparison for people: the sections of its report, summary.md of its bundle, and the table on the screen.

#include <string>
#include <utility>
#include <vector>

#include "harness/ab/report.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns what a comparison comes to; of a validation its counts.
Banner banner_of(const AbReport& report);

// Returns the report with the names of the sides, as the user gave them, in place of A and B in its words.
AbReport with_sides_named(const AbDocument& document, AbReport report);

// Returns the cases in the order of their verdicts, the worst first.
std::vector<const AbCaseReport*> worst_first(const AbReport& report);

// Returns the changes of all cases with their intervals: a chart of those in percent, and one for each unit.
std::vector<Chart> interval_charts(const AbReport& report);

// Returns the names of both sides without what they have in common; A and B where they are long, letters or
// alike.
std::pair<std::string, std::string> names_of_sides(const AbDocument& document);

// Returns the sections of its report: case by case, stages, how it was measured.
std::vector<Section> ab_sections(const AbDocument& document, const AbReport& report);

// Returns summary.md, as Markdown.
std::string render_ab_summary(const AbDocument& document, const AbReport& report);

// Returns a table of the cases, a sentence for each, and the banner as the last line.
std::string render_ab_table(const AbDocument& document, const AbReport& report, const Screen& screen = {});

}  // namespace aqbench
