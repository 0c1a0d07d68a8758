#pragma once
// Workloads' times for people: on screen and in summary.md.

#include <string>
#include <vector>

#include "harness/records/results.h"
#include "reports/content/comparisons.h"

namespace aqbench {

bool has_workloads(const Results& results);
bool has_scenes(const Results& results);  // cases that are not workloads

// For the terminal, at most 100 columns. Empty without workloads.
std::string render_workload_table(const Results& results, bool colours);

// Half the 95 % interval of the warm median, "±1.2 %", "n/a" without; the share of the roofline, "" without.
std::string precision_text(const Timing& timing);
std::string roofline_text(const Timing& timing);

// A row for each: time, throughput, memory, ratio to the base with its interval, verdict. Markdown.
std::string comparison_table(const std::vector<AxisComparison>& comparisons);

// Sections of summary.md: "Comparisons", "What bounds them", and "Doubtful times" of any case.
std::string workload_sections(const Results& results);

}  // namespace aqbench
