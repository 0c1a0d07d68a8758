#pragma once
// One side of a comparison of two commands: what is run, where, in which environment, and what runs before
// it. Plain data.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"

namespace aqbench {

// A command as the user gave it. Every line runs in /bin/sh.
struct AbCommand {
  std::string line;
  std::string folder;                                                 // absolute: the working directory
  std::vector<std::pair<std::string, std::string>> environment = {};  // on top of this process's
  std::string prepare = {};  // before each run, not timed; "": nothing
  // Before each unit, not timed: builds the program in another order; "": nothing.
  std::string relink = {};
};

// The most code layouts that units may draw from (AbCommandRules::layouts).
inline constexpr std::uint64_t kMaxLayouts = 100000;

// The settings that are the same for both sides.
struct AbCommandRules {
  std::string compare_output;  // the file, below each side's folder, that must be the same; "": stdout
  bool any_exit_code = false;  // another exit code than 0 is part of the output and no failure
  bool quick = false;          // as many pairs as fit into a minute
  std::uint64_t layouts = 0;   // code layouts that units draw from; 0: the layout is left as it is
  bool gbench = false;         // programs of Google Benchmark, by the time per iteration that they measured
};

// Return what stands in results.json.
Json to_json(const AbCommand& command);
Json to_json(const AbCommandRules& rules);

// Read it. Throw Error(input) naming the place.
AbCommand ab_command_from_json(const JsonPlace& place);
AbCommandRules ab_command_rules_from_json(const JsonPlace& place);

}  // namespace aqbench
