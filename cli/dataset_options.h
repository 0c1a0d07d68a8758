#pragma once
// What `run` and `check` share: one method on one dataset.

#include <cstdint>
#include <vector>

#include "cli/options.h"
#include "harness/planning/plan_request.h"

namespace aqbench::cli {

// As given.
struct DatasetOptions {
  PlanRequest plan;  // one method, one dataset
  std::int64_t frame = 0;
};

// Returns the rows of --dataset, --frame, --set, --threads, --seed, --timeout and --project.
std::vector<Flag<DatasetOptions>> dataset_flags();

// Reads METHOD[:PRESET].
void read_method(DatasetOptions& options, const FlagValue& value);

// Adds the frame, the project and the time limit, which is none by default. Throws Error(usage) for a missing
// or second --dataset.
void complete(DatasetOptions& options);

}  // namespace aqbench::cli
