#pragma once
// The options that say which cases are run, from text to plain data. Shared by `sweep`, `ab` and `profile`.

#include "cli/options.h"
#include "harness/planning/plan.h"

namespace aqbench::cli {

// What one case is run with: sets, images, threads, device, limits, faults.
void add_case_options(po::options_description& options);

// Those, and which cases: suite, scenes, methods, workloads, axes, seeds, warm runs.
void add_plan_options(po::options_description& options);

// When to stop timing a case; a unit of `ab` runs a fixed number of times.
void add_timing_options(po::options_description& options);

// What is not among a command's options counts as not given. Throws Error(usage) naming the flag, and what
// the parsers of plan.h throw.
PlanRequest read_plan_request(const po::variables_map& values);

}  // namespace aqbench::cli
