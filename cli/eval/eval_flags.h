#pragma once
// The flags of `aqbench eval` that say against what a cloud is scored, and how.

#include <vector>

#include "cli/eval/eval_request.h"
#include "cli/options.h"

namespace aqbench::cli {

// Returns the rows of truth, frame, region and sizes.
std::vector<Flag<EvalCloudRequest>> eval_cloud_flags();

// Returns the value of a flag as metres in one unit: "m", "cm", "mm" or "um". Throws Error(usage) naming the
// flag.
double metres_per_unit(const FlagValue& value);

}  // namespace aqbench::cli
