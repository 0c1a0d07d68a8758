#pragma once
// Times of cases as tables, and cases of a workload that differ in one axis alone (batch, variant, loader,
// ...), each beside the first value of that axis.

#include <optional>
#include <string>
#include <vector>

#include "core/table.h"
#include "harness/records/results.h"

namespace aqbench {

// Returns a row for each case with warm runs or a throughput: cold and warm times, throughput, roofline.
Table times_table(const Results& results);

// One value of an axis beside the first one.
struct AxisComparison {
  std::string workload, rest;  // the rest: the other axes, "size=256"
  std::string axis, base, value;
  const Record* record = nullptr;    // of `value`; points into the results
  std::optional<double> change_pct;  // of the median time of warm runs, or else of the cold ones
  std::optional<double> lower,
      upper;         // from the 99 % intervals of both medians; of at least 8 warm runs each
  std::string note;  // "first", or why there is no change: one line
  // Where the bits of the outputs differ: how far one can be from the other at most, pixel by pixel, in the
  // unit of the identity that compares both with one reference (WorkloadSpec::pixel_identity).
  std::optional<double> output_distance;
};

// Compares along the axes that change how a workload is computed and not what: batch, variant, kernel,
// loader, copy, grid, threads, replica. The first is the parameter's first choice that was run (of numbers
// the smallest). Outputs come first: they must be equal along batch, loader, grid, copy, threads and replica;
// along variant and kernel both records must have an identity that compares the output with the reference
// pixel by pixel.
std::vector<AxisComparison> compare_axes(const Results& results);

// Returns a row for each value of each axis: time, throughput, memory, change against the first value with
// its interval.
Table comparisons_table(const std::vector<AxisComparison>& comparisons);

// The text beside a table of comparisons.
inline constexpr const char* kComparisonsAreNotJudged =
    "Changes are not judged: these cases ran one after the other, and not in pairs. `aqbench ab --variant` "
    "judges.";

}  // namespace aqbench
