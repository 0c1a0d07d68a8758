#pragma once
// Checks, once before any case runs, that the programs which the cases need are there.

#include <filesystem>
#include <span>

#include "harness/planning/plan.h"
#include "harness/records/case.h"

namespace aqbench::cli {

// Throws Error(usage) "method NAME: FILE: ..." for the first case whose method is somebody's program that
// cannot be started: its program, its script or its working folder is not there.
void require_programs(std::span<const Case> cases);

// Does the same for the cases of a begun sweep that have neither a record in its bundle nor a result of a
// task: what is done can be merged where the program is not. Throws as read_journal() does, too.
void require_programs_of_open(const SweepPlan& plan, const std::filesystem::path& bundle);

}  // namespace aqbench::cli
