#pragma once
// An A/A validation for people: summary.md of its bundle, and the table on the screen.

#include <string>

#include "harness/ab/aa_validation.h"

namespace aqbench {

// Returns summary.md, as Markdown.
std::string render_aa_validation_summary(const AaValidationDocument& document,
                                         const AaValidationReport& report);

// Returns what was found and a table of the delayed stages, at most 100 columns wide.
std::string render_aa_validation_table(const AaValidationReport& report, bool colours = false);

}  // namespace aqbench
