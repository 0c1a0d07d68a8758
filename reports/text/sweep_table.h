#pragma once
// The table at the end of `aqbench sweep`.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Returns a table with a row for each scene and method (and swept axes): the mean over its seeds, and below
// it the standard deviation where there are several seeds. Then comes what external programs used, and the
// cases that failed. At most 100 columns.
std::string render_sweep_table(const Results& results, bool colours = false);

}  // namespace aqbench
