#pragma once
// A list of verdicts on a page: the banner at its head, and a row for each case.

#include <functional>
#include <string>

#include "harness/gating/verdicts.h"
#include "reports/content/case_names.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

// Returns the banner as HTML.
std::string banner_html(const Banner& banner);

// Returns a value of a side as HTML that may lead to its case; takes the number as HTML.
using VerdictLink =
    std::function<std::string(const std::string& case_name, bool after, const std::string& number)>;

// Returns the table of the verdicts: a row for each case that changed or failed, with its worst value; its
// other values unfold. The cases that stayed are counted. `before` and `after` name the columns: "A", "B";
// `label` is what screen readers say. Returns "" without verdicts.
std::string verdicts_html(const Verdicts& verdicts, const ShortNames& names, const std::string& label,
                          const std::string& before, const std::string& after, const VerdictLink& link = {});

// Returns verdicts_html() as the section with id "verdicts".
std::string verdicts_section(const Verdicts& verdicts, const std::string& before, const std::string& after,
                             const std::string& explanation);

}  // namespace aqbench
