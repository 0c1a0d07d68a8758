#pragma once
// Cases of a workload that differ in one axis alone (batch, variant, loader, ...), each against the base
// value of that axis.

#include <optional>
#include <string>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// Holds one value of an axis against the base value.
struct AxisComparison {
  std::string workload, rest;  // the rest: the other axes, "size=256"
  std::string axis, base, value;
  const Record* record = nullptr;      // of `value`; points into the results
  std::optional<double> ratio;         // time / time of the base
  std::optional<double> lower, upper;  // confidence interval of the ratio
  std::size_t pairs = 0;               // units of both that were compared
  std::string verdict;  // "faster", "slower", "no difference", "inconclusive", "invalid", "base"
  std::string reason;   // one line where the verdict needs one
};

// Compares along the axes that change how a workload is computed and not what: batch, variant, kernel,
// loader, copy, grid, threads, replica. The base is the parameter's first choice that was run (of numbers the
// smallest). Units are processes (--blocks) in the order in which they ran, each the best of its warm runs;
// docs/statistics.md has the rule. Outputs must be equal along batch, loader, grid, copy, threads and
// replica; along variant and kernel the workload's identities prove them.
std::vector<AxisComparison> compare_axes(const Results& results);

// Returns the best warm run of each process, in order.
std::vector<double> process_units(const Timing& timing);

// Judges `units` against `base`: "faster" and "slower" need a significant shift above 2 %, "no difference"
// needs the 99 % interval within 5 % on both sides.
void judge_pairs(const std::vector<double>& base, const std::vector<double>& units,
                 AxisComparison& comparison);

}  // namespace aqbench
