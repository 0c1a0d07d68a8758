#pragma once
// A comparison for people: summary.md of its bundle, and the table on the screen.

#include <string>

#include "harness/ab/report.h"

namespace aqbench {

// Returns summary.md, as Markdown.
std::string render_ab_summary(const AbDocument& document, const AbReport& report);

// Returns a table of the cases and the details of each below it, at most 100 columns wide.
std::string render_ab_table(const AbDocument& document, const AbReport& report, bool colours = false);

}  // namespace aqbench
