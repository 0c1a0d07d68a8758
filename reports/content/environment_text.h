#pragma once
// The environment and the request of a run as text.

#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// Returns in one line what decides about numbers and times; fields that are absent are left out.
std::string environment_line(const Json& environment);

// Returns every value with its path ("cpu.model"), in the order of the document.
std::vector<std::pair<std::string, std::string>> environment_items(const Json& environment);

// Returns the `aqbench sweep ...` command that plans the same cases. A suite of the user's own stands there
// as a file name; results.json holds the suite itself.
std::string reproduce_command(const RunInfo& run);

}  // namespace aqbench
