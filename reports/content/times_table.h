#pragma once
// Times of cases as tables, and how workloads compare along their axes.

#include <string>
#include <vector>

#include "reports/content/comparisons.h"
#include "reports/document/document.h"

namespace aqbench {

// Returns a row for each case with warm runs or a throughput: cold and warm times, throughput, roofline.
Table times_table(const Results& results);

// Returns a row for each value of each axis: time, throughput, memory, change against the first value with
// its interval.
Table comparisons_table(const std::vector<AxisComparison>& comparisons);

// Returns half the 95 % interval of the warm median as a share of it, "±1.2 %"; "n/a" without an interval.
std::string precision_text(const Timing& timing);

// Returns "2.5e+06 px/s"; "n/a" without a throughput.
std::string throughput_text(const Timing& timing);

// Returns the throughput as a share of the processor's roofline; "" without one, and on another device.
std::string roofline_text(const Record& record);

}  // namespace aqbench
