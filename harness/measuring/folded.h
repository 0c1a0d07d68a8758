#pragma once
// Stacks of CPU samples in the "folded" text format of flamegraph programs: "main;work;hot 42", outermost
// function first.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The number of samples of each stack; functions outermost first, joined by ';'.
using FoldedStacks = std::map<std::string, std::uint64_t>;

// Returns one line per stack: "main;work;hot 42".
std::string folded_text(const FoldedStacks& stacks);

// Reads what folded_text() wrote. Throws Error(input) "SOURCE:LINE: ..." for a line that is not "STACK
// COUNT".
FoldedStacks read_folded(std::string_view text, const std::string& source);

// Returns the number of samples in all stacks.
std::uint64_t sample_count(const FoldedStacks& stacks);

// Returns the functions of one stack, outermost first.
std::vector<std::string_view> functions_of(std::string_view stack);

// Returns whether the name stands for a place without a symbol: "[libgomp.so.1]", "[unknown]".
bool is_unresolved(std::string_view function);

// The prefix of a frame that is a stage: "stage depth_estimation".
inline constexpr std::string_view kStagePrefix = "stage ";

}  // namespace aqbench
