#pragma once
// The times of workloads for people, on the screen and in summary.md.

#include <string>
#include <vector>

#include "core/table.h"
#include "harness/records/results.h"
#include "reports/content/comparisons.h"

namespace aqbench {

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
