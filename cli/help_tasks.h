#pragma once
// Which flags --help shows of a command with many, by what they are for. --help-all shows every flag.

#include <span>
#include <string_view>

namespace aqbench::cli {

// What a reader wants to do, and the flags for it, separated by commas.
struct HelpTask {
  const char *title, *flags;
};

// Returns the tasks of a command; none where --help shows every flag.
std::span<const HelpTask> help_tasks(std::string_view command);

}  // namespace aqbench::cli
