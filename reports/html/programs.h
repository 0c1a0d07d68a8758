#pragma once
// The resources of external programs, as a table of report.html.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Returns a table with processor time, memory, bytes, page faults and context switches of each case that ran
// a program; "" where none did. Columns that no case fills are left out.
std::string programs_html(const Results& results);

// Returns the table of the numbers of other benchmarks' protocols; "" where none ran.
std::string protocols_html(const Results& results);

}  // namespace aqbench
