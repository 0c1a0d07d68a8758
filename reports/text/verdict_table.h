#pragma once
// A list of verdicts as text for a terminal.

#include <string>

#include "reports/content/verdict_blocks.h"

namespace aqbench {

// Returns the blocks of the list; a narrow screen shows what decides.
std::string verdicts_text(const Verdicts& verdicts, const ShortNames& names, VerdictView view,
                          const Screen& screen);

// Returns the view of a terminal: 40 rows, one for each case, or with `all` one for each value.
VerdictView terminal_view(bool all);

// Returns a row for each case with a verdict that is no plain pass, worst first, with its worst value; then
// what is new, and the banner as the last line. `all` gives a row for each value, passes included.
std::string render_verdicts(const Verdicts& verdicts, bool all = false, const Screen& screen = {});

}  // namespace aqbench
