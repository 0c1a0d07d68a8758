#pragma once
// The columns of a table of what programs used.

#include <string>
#include <vector>

#include "core/program_report.h"

namespace aqbench {

// The text beside such a table.
inline constexpr const char* kProgramRowsNote =
    "What each program and all that it started used in the cold run; memory is the peak of all together.";

// Returns the titles of the columns, with units, without that of the case.
const std::vector<std::string>& program_titles();

// Returns the cells below these titles; "n/a" where the system reports nothing.
std::vector<std::string> program_cells(const ProgramUse& use);

}  // namespace aqbench
