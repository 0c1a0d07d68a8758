#pragma once
// The tables at the end of `aqbench sweep` and those of summary.md: cases, programs and protocols, times of
// workloads.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "reports/content/case_groups.h"
#include "reports/content/comparisons.h"

namespace aqbench {

// Returns a table with these columns; those whose titles begin with ">" are numbers and stand at the right.
Table table_with(std::initializer_list<std::string_view> titles);
// Returns a row of cells without colours.
std::vector<TableCell> plain_row(std::vector<std::string> texts);
// Returns a table as Markdown.
std::string md_table(const Table& table);
// Takes out the column with this title, if there is one.
void drop_column(Table& table, std::string_view title);
// Takes out the columns whose cells all are `nothing`.
void drop_columns(Table& table, std::string_view nothing);

// Returns a table with a row for each scene and method (and swept axes): the mean over its seeds, and below
// it the standard deviation where there are several seeds. Then comes what external programs used, and the
// cases that failed. Where it would be wider than `columns` some metrics are left out; names are never cut.
std::string render_sweep_table(const Results& results, bool colours = false,
                               std::size_t columns = kScreenColumns);

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

// Return whether any case is a workload, and whether any case is none.
bool has_workloads(const Results& results);
bool has_scenes(const Results& results);

// Returns the table for the screen, at most 100 columns wide; empty without workloads.
std::string render_workload_table(const Results& results, bool colours, std::size_t width = kScreenColumns);

// Returns half the 95 % interval of the warm median as a share of it, "±1.2 %"; "n/a" without an interval.
std::string precision_text(const Timing& timing);

// Returns the throughput as a share of the processor's roofline; "" without one, and on another device.
std::string roofline_text(const Record& record);

// Returns a Markdown table with a row for each value of each axis: time, throughput, memory, ratio to the
// base value with its interval, verdict.
std::string comparison_table(const std::vector<AxisComparison>& comparisons);

}  // namespace aqbench
