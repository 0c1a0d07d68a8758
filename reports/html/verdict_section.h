#pragma once
// A list of verdicts on a page: the banner at its head, and a row for each case.

#include <string>

#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns the banner as HTML.
std::string banner_html(const Banner& banner);

// Returns the section with id "verdicts": a row for each case that changed or failed, with its worst value;
// its other values unfold. The cases that stayed are counted. `before` and `after` name the columns: "A",
// "B". Returns "" without verdicts.
std::string verdicts_section(const Verdicts& verdicts, const std::string& before, const std::string& after,
                             const std::string& explanation);

}  // namespace aqbench
