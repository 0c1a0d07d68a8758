#pragma once
// What somebody else's programs used, as a table.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Returns the section of summary.md with CPU time, memory, bytes, page faults and context switches of each
// case that ran a program; "" where none did.
std::string programs_table(const Results& results);

}  // namespace aqbench
