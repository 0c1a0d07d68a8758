#pragma once
// Checks results.json against the journal: who ran what, where and when.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns what does not fit together: run, plan, request, program, commit and environment of the journal and
// of results.json, their records, values that the environment holds twice, and times: a run that ends before
// it starts, a case that took longer than the run.
std::vector<Finding> check_run(const Results& results, const JournalContents& journal);

// The slack of a run's length, in seconds, since both of its times are whole seconds.
inline constexpr double kClockSlackS = 2;
// How many seconds `real` of a command may differ from its times, and how many it may fall short of what was
// measured in it.
inline constexpr double kCommandSlackS = 2, kMeasuredSlackS = 0.05;

// Returns the time that a case was measured in all, including its rendering, ms.
double measured_ms(const Timing& timing);

// Returns the values that an environment tells twice and unlike, "environment.X is not environment.Y"; none
// of one that is mixed.
std::vector<std::string> twice_told_problems(const Json& environment);

// Returns how many bundles a run was merged from; 1 for a run of its own.
std::size_t merged_runs(const RunInfo& run);

// Returns the environment of a run without its load, which differs from one moment to the next.
Json environment_without_load(Json environment);

}  // namespace aqbench
