#pragma once
// Evaluates CPU samples: hot functions, time spent in overheads, and whether the hot functions are those
// expected of a method. The tables are printed into docs/profiling.md, which a test compares.

#include <string>
#include <string_view>
#include <vector>

#include "harness/measuring/folded.h"

namespace aqbench {

// A kind of overhead. A sample counts for the kind of its innermost matching function.
struct OverheadKind {
  std::string name;                   // "allocation"
  std::vector<std::string> patterns;  // parts of a function's name, anywhere in the stack
  // Parts of the innermost function's name only: elsewhere in the stack such a function calls the work
  // itself.
  std::vector<std::string> innermost;
  double warn_share = 0;  // of all samples
  std::string advice;
};

// A function expected to be hot in a method or workload.
struct ExpectedHotspot {
  std::string target;   // name of the method or workload; "*": any
  std::string pattern;  // part of the function's name
  std::string why;
};

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
