#pragma once
// The environment and the request of a run as text for summaries.

#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// What decides about numbers and times, in one line; fields that are absent are left out.
std::string environment_line(const std::string& environment_json);

// Every value with its path ("cpu.model"), in the order of the document.
std::vector<std::pair<std::string, std::string>> environment_items(const std::string& environment_json);

// The `aqbench sweep ...` command that plans the same cases. A suite of the user's own is named, not spelt
// out: results.json holds it.
std::string reproduce_command(const RunInfo& run);

}  // namespace aqbench
