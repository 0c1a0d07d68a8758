#pragma once
// Evaluates CPU samples: hot functions, time spent in overheads, and whether the hot functions are those
// expected of a method. The tables are printed into docs/profiling.md, which a test compares.

#include <string>
#include <string_view>
#include <vector>

#include "harness/measuring/samplers.h"

namespace aqbench {

// Returns both tables as Markdown, for docs/profiling.md.
std::string hotspots_markdown();

// A function and its share of the samples.
struct HotFunction {
  std::string name;
  double self_share = 0;  // of all samples, 0 to 1
  std::string expected;   // reason; empty: unexpected
};

// The evaluation of one case's samples.
struct HotspotReport {
  std::uint64_t samples = 0;
  double unresolved_share = 0;        // samples whose innermost function has no symbol
  std::vector<HotFunction> hottest;   // by self share, at most 10
  std::vector<std::string> warnings;  // one line each
};

// Fewer samples than this do not resolve a share of 10 %.
inline constexpr std::uint64_t kFewSamples = 100;

// Counts the samples of a method or workload by function and by overhead.
HotspotReport find_hotspots(const FoldedStacks& stacks, std::string_view target);

}  // namespace aqbench
