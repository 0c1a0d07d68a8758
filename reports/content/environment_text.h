#pragma once
// The environment and the request of a run as text for summaries.

#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// What decides about numbers and times, in one line; fields that are absent are left out.
std::string environment_line(const Json& environment);

// Every value with its path ("cpu.model"), in the order of the document.
std::vector<std::pair<std::string, std::string>> environment_items(const Json& environment);

// The `aqbench sweep ...` command that plans the same cases. A suite of the user's own is named, not spelt
// out: results.json holds it.
std::string reproduce_command(const RunInfo& run);

}  // namespace aqbench
