#pragma once
// Cases of a workload that differ in one axis alone (batch, variant, loader, ...), each against the base
// value of that axis.

#include <optional>
#include <string>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// One value of an axis, compared with the base value.
struct AxisComparison {
  std::string workload, rest;  // the rest: the other axes, "size=256"
  std::string axis, base, value;
  const Record* record = nullptr;      // of `value`; points into the results
  std::optional<double> ratio;         // time / time of the base
  std::optional<double> lower, upper;  // confidence interval of the ratio
  std::size_t pairs = 0;               // units of both that were compared
  // "looks faster", "looks slower", "no difference seen", "inconclusive", "invalid", "base"; "looks", since a
  // sweep decides nothing: `aqbench ab` does.
  std::string verdict;
  std::string reason;  // one line where the verdict needs one
  // Where the bits of the outputs differ: how far one can be from the other at most, pixel by pixel, in the
  // unit of the identity that compares both with one reference (WorkloadSpec::pixel_identity).
  std::optional<double> output_distance;
};

// Compares along the axes that change how a workload is computed and not what: batch, variant, kernel,
// loader, copy, grid, threads, replica. The base is the parameter's first choice that was run (of numbers the
// smallest). Units are processes (--blocks) in the order in which they ran, each the best of its warm runs;
// docs/statistics.md has the rule, with Holm over all comparisons of the results. "looks faster" and "looks
// slower" need a significant shift above 2 %, "no difference seen" needs the 99 % interval within 5 % on both
// sides. Outputs come first: they must be equal along batch, loader, grid, copy, threads and replica; along
// variant and kernel both records must have an identity that compares the output with the reference pixel by
// pixel.
std::vector<AxisComparison> compare_axes(const Results& results);

// The text beside a table of comparisons: that they do not decide, and what does.
inline constexpr const char* kComparisonsDoNotDecide =
    "These comparisons do not decide: cases of a sweep take turns round by round instead of back to back, "
    "and no fresh pairs confirm what they show. `aqbench ab --variant` decides.";

}  // namespace aqbench
