#pragma once
// What `aqbench sweep` and `gate` print at their ends.

#include <string>

#include "harness/records/results.h"
#include "reports/content/verdict_blocks.h"
#include "reports/document/document.h"

namespace aqbench {

// Returns a table with a row for each scene and method (and swept axes): the mean over its seeds, and below
// it the standard deviation where there are several seeds. Then come times of warm runs, what external
// programs used, numbers of protocols, and the cases that failed. Where it would be wider than the screen
// some metrics are left out; names are never cut.
std::string render_sweep_table(const Results& results, const Screen& screen = {});

// Returns the view of a terminal: 40 rows, one for each case, or with `all` one for each value.
VerdictView terminal_view(bool all);

// Returns a row for each case with a verdict that is no plain pass, worst first, with its worst value; then
// what is new, and the banner as the last line. `all` gives a row for each value, passes included.
std::string render_verdicts(const Verdicts& verdicts, bool all = false, const Screen& screen = {});

}  // namespace aqbench
