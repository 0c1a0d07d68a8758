#pragma once
// Stage files among a program's results: a list of stages with their times, or a Chrome trace.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The maximum number of stages in a file.
inline constexpr std::size_t kMaxProgramStages = 1'000'000;

// A thread of a process of the program.
struct ThreadId {
  std::int64_t process = 0, thread = 0;

  bool is_main() const { return process == thread; }
  auto operator<=>(const ThreadId&) const = default;
};

// A stage on the program's own clock.
struct ReportedStage {
  std::string name;
  std::int64_t start_ns = 0, end_ns = 0;
  ThreadId thread = {};
  std::uint64_t calls = 1;
  bool open = false;  // it had not ended
};

// Returns whether a text is a valid stage name: one line of UTF-8, 1 to 200 bytes.
bool is_stage_name(std::string_view name);

// Reads the text of a file:
//   {"stages": [{"name": "matching", "ms": 120.5}, {"name": "filter", "ms": 20, "parent": "matching",
//   "calls": 3}]}
// where stages follow each other and `parent` is the last stage of that name above; or a Chrome trace,
// {"traceEvents": [...]} or the array alone, of which complete ("X") and begin/end ("B", "E") events count:
// where torch.profiler's user annotations are among them, these alone, and never its operators and kernels.
// Throws Error(input) "FILE: what".
std::vector<ReportedStage> stages_of_file(std::string_view text, const std::string& file);

}  // namespace aqbench
