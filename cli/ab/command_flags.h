#pragma once
// The flags of `aqbench ab` that are about two commands instead of cases.

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"

namespace aqbench::cli {

// The values of these flags. Arrays are indexed by side: A, B.
struct AbCommandRequest {
  std::array<std::string, 2> lines, folders, prepares, relinks, labels;
  std::array<std::vector<std::pair<std::string, std::string>>, 2> environments;
  std::string compare_output;
  std::array<bool, 2> gbench{};  // the line is a program of Google Benchmark
  bool any_exit_code = false, outputs_may_differ = false, quick = false;
  std::uint64_t layouts = 0;

  // Returns whether commands are compared.
  bool given() const { return !lines[0].empty() || !lines[1].empty(); }
};

// Returns the rows of the option table.
const std::vector<Flag<AbCommandRequest>>& ab_command_flags();

// Checks what the flags mean together; `given` are the names of all flags of the command line. Throws
// Error(usage) naming the flag: a side without a command, a flag of commands where no commands are given, a
// flag of cases where commands are given, a link command without --layouts.
void check_ab_commands(const AbCommandRequest& request, const std::set<std::string>& given);

// Returns a line for each thing that a comparison of two commands runs with the user's rights: "A: LINE", "A
// is prepared by: ...".
std::vector<std::string> command_lines_of(const AbCommandRequest& request);

}  // namespace aqbench::cli
