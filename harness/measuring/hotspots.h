#pragma once
// What CPU samples tell: which functions are hot, how much goes into overheads that no method asks for, and
// whether the hot functions are those that one expects of a method. The tables are printed into
// docs/profiling.md, which a test compares.

#include <string>
#include <string_view>
#include <vector>

#include "harness/measuring/folded.h"

namespace aqbench {

// Time that a program spends on itself. A sample counts for the innermost of its functions that fits one.
struct OverheadKind {
  std::string name;                   // "allocation"
  std::vector<std::string> patterns;  // parts of a function's name, anywhere in the stack
  // Parts of the innermost function's name alone: further out they call the work itself.
  std::vector<std::string> innermost;
  double warn_share = 0;  // of all samples
  std::string advice;
};
const std::vector<OverheadKind>& overhead_kinds();

// What one expects to be hot in a method or workload: parts of functions' names, "*" in `target` for all.
struct ExpectedHotspot {
  std::string target;
  std::string pattern;
  std::string why;
};
const std::vector<ExpectedHotspot>& expected_hotspots();

// Both tables as Markdown, for docs/profiling.md.
std::string hotspots_markdown();

struct HotFunction {
  std::string name;
  double self_share = 0;  // of all samples, 0 to 1
  std::string expected;   // why it is expected; empty: it is not
};

struct HotspotReport {
  std::uint64_t samples = 0;
  double unresolved_share = 0;        // samples whose innermost function has no symbol
  std::vector<HotFunction> hottest;   // by self share, at most 10
  std::vector<std::string> warnings;  // one line each
};

// Fewer samples than this tell nothing about a share of 10 %.
inline constexpr std::uint64_t kFewSamples = 100;

HotspotReport find_hotspots(const FoldedStacks& stacks, std::string_view target);

}  // namespace aqbench
