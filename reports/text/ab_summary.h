#pragma once
// A comparison for people: summary.md of its bundle, and the table on the screen.

#include <string>

#include "core/table.h"
#include "harness/ab/report.h"

namespace aqbench {

// Returns summary.md, as Markdown.
std::string render_ab_summary(const AbDocument& document, const AbReport& report);

// Returns a table of the cases, a sentence for each, and the banner as the last line.
std::string render_ab_table(const AbDocument& document, const AbReport& report, bool colours = false,
                            std::size_t width = kScreenColumns);

}  // namespace aqbench
