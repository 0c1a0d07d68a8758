#pragma once
// The resources of external programs, as a table.

#include <string>
#include <vector>

#include "core/table.h"
#include "harness/records/results.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// Returns the section of summary.md with CPU time, memory, bytes, page faults and context switches of each
// case that ran a program; "" where none did.
std::string programs_table(const Results& results);

// Returns the section of summary.md with the numbers of other benchmarks' protocols; "" where none ran.
std::string protocols_table(const Results& results);

// Returns the same for a terminal, a line for each case.
std::string render_protocol_lines(const Results& results, std::size_t width = kScreenColumns);

// Returns a table for a terminal with a row for each group in which a program ran: its processor time and
// bytes, the mean over the seeds, and the largest of their peaks of memory. Empty if no program ran. With
// `scenes` each row begins with its scene.
std::string render_program_table(const std::vector<CaseGroup>& groups, bool scenes, bool colours = false,
                                 std::size_t width = kScreenColumns);

}  // namespace aqbench
