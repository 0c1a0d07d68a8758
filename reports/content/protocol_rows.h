#pragma once
// The numbers of other benchmarks' protocols in a run, and what its programs used, as tables.

#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// The text beside such a table.
inline constexpr const char* kProtocolRowsNote =
    "Each protocol at the threshold that its rankings use; results.json has the others, and the knobs in "
    "their definitions (docs/protocols.md).";

// Titles of columns, and for each case that has any of them its name and cells ("n/a" for what is undefined).
// Each column has a value.
struct ValueRows {
  std::vector<std::string> titles;  // "eth3d precision 20 mm [%]"
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
};

// Returns the numbers of protocols at their headline thresholds, or at the first threshold of a run that does
// not have that; no rows where no protocol ran.
ValueRows protocol_rows(const Results& results);

// Returns what the programs of a run used; no rows where none was started.
ValueRows program_rows(const Results& results);

}  // namespace aqbench
