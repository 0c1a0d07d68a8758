#pragma once
// The table at the end of `aqbench sweep`.

#include <cstddef>
#include <string>

#include "core/table.h"
#include "harness/records/results.h"

namespace aqbench {

// Returns a table with a row for each scene and method (and swept axes): the mean over its seeds, and below
// it the standard deviation where there are several seeds. Then comes what external programs used, and the
// cases that failed. Where it would be wider than `columns` some metrics are left out; names are never cut.
std::string render_sweep_table(const Results& results, bool colours = false,
                               std::size_t columns = kScreenColumns);

}  // namespace aqbench
