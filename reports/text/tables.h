#pragma once
// The tables at the end of `aqbench sweep`: cases, programs and protocols, times of workloads.

#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/records/results.h"
#include "reports/document/document.h"

namespace aqbench {

// Returns a table with a row for each scene and method (and swept axes): the mean over its seeds, and below
// it the standard deviation where there are several seeds. Then comes what external programs used, and the
// cases that failed. Where it would be wider than the screen some metrics are left out; names are never cut.
std::string render_sweep_table(const Results& results, const Screen& screen = {});

// Leaves columns whose headings or metrics begin so out of a table, one after the other, until it fits.
Table fitted(Table table, std::size_t width, std::initializer_list<std::string_view> dispensable);

}  // namespace aqbench
