#pragma once
// Stacks of CPU samples in the "folded" text format that flamegraph programs share: "main;work;hot 42", from
// the outermost function to the innermost.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

using FoldedStacks = std::map<std::string, std::uint64_t>;

std::string folded_text(const FoldedStacks& stacks);

// Throws Error(input) "SOURCE:LINE: ..." for a line that is not "STACK COUNT".
FoldedStacks read_folded(std::string_view text, const std::string& source);

std::uint64_t sample_count(const FoldedStacks& stacks);

// The functions of one stack, outermost first.
std::vector<std::string_view> functions_of(std::string_view stack);

// "[libgomp.so.1]", "[unknown]": a place that has no symbol.
bool is_unresolved(std::string_view function);

// Frames that group samples and are no functions: "stage depth_estimation", "thread worker".
inline constexpr std::string_view kStagePrefix = "stage ";

}  // namespace aqbench
