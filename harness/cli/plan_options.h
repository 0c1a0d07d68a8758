#pragma once
// The options that say which cases are run, from text to plain data. Shared by `sweep` and `ab`.

#include "harness/cli/options.h"
#include "harness/plan.h"

namespace aqbench::cli {

// Suite, scenes, methods, workloads, axes, sets, seeds, threads, device, limits, warm runs, faults.
void add_plan_options(po::options_description& options);

// When to stop timing a case; a unit of `ab` runs a fixed number of times.
void add_timing_options(po::options_description& options);

// What is not among a command's options counts as not given. Throws Error(usage) naming the flag, and what
// the parsers of plan.h throw.
PlanRequest read_plan_request(const po::variables_map& values);

}  // namespace aqbench::cli
