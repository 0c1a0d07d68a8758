#pragma once
// Cases of a workload that differ in one axis alone, held against each other: batch sizes, variants, loaders.

#include <optional>
#include <string>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// One value of an axis against the base value.
struct AxisComparison {
  std::string workload, rest;  // the other axes, "size=256"
  std::string axis, base, value;
  const Record* record = nullptr;      // of `value`; refers to the results
  std::optional<double> ratio;         // time / time of base
  std::optional<double> lower, upper;  // its confidence interval
  std::size_t pairs = 0;               // units of both that were compared
  std::string verdict;  // "faster", "slower", "no difference", "inconclusive", "invalid", "base"
  std::string reason;   // one line where the verdict needs one
};

// The axes that change how a workload is done and not what it does: batch, variant, kernel, loader, copy,
// grid, threads. The base is the first choice of the parameter (of numbers the smallest) that was run. Units
// are processes (--blocks), in the order in which they ran, each the best of its warm runs; the rule is that
// of docs/statistics.md. Outputs must be equal along batch, loader, grid, copy and threads, and are proved by
// identities along variant and kernel.
std::vector<AxisComparison> compare_axes(const Results& results);

// The best warm run of each process, in order.
std::vector<double> process_units(const Timing& timing);

// The verdict on u against base: "faster" and "slower" need a significant shift above 2 %, "no difference" a
// 99 % interval within 5 %, both ways.
void judge_pairs(const std::vector<double>& base, const std::vector<double>& units,
                 AxisComparison& comparison);

}  // namespace aqbench
