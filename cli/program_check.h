#pragma once
// Checks once, before any case runs, that the programs of the cases exist and rendered images have a cache.

#include <filesystem>
#include <span>

#include "harness/planning/plan.h"
#include "harness/records/case.h"

namespace aqbench::cli {

// Throws Error(usage) "method NAME: FILE: ..." for the first case whose external program cannot be started: a
// missing program, script or working folder; and as default_cache_dir() for a case whose images are rendered.
void require_programs(std::span<const Case> cases);

// Does the same for the cases of a started sweep without a record in its bundle or a result of a task:
// finished cases can be merged without the program. Also throws like read_journal().
void require_programs_of_open(const SweepPlan& plan, const std::filesystem::path& bundle);

}  // namespace aqbench::cli
