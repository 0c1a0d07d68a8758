#pragma once
// Runs one case, in the child process that was forked for it.

#include <span>

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/records/planned_record.h"
#include "harness/running/case_board.h"
#include "harness/scoring/score_case.h"

namespace aqbench {

// Runs a case of a method: makes the scene and, for a real method, its images (dataset_ms), runs the method
// (the first call of this process: cold_ms; then warm as the case's timing says) and scores the result. Runs
// a case of a workload: proves and times it. Never throws for what a method does: an error makes a failed
// record with a one-line reason, also where a real method gives no points or one that is not finite. A case
// that cannot run here is skipped. Stages and faults are noted on the board as they happen.
CaseResult run_case(const Case& planned, CaseBoard& board);

// Runs a case as run_case() does and keeps these files.
CaseResult run_case_keeping(const Case& planned, CaseBoard& board, const KeptFiles& kept);

// Runs a case as run_case() does, without scoring a method's output: for callers that need its hash alone.
CaseResult run_case_unscored(const Case& planned, CaseBoard& board);

// Loads the modules (core/module.h) that these cases need, and no other. A parent does so before it forks, so
// that its children have them at once; loading starts no threads. Throws Error(input) where one is not
// installed.
void load_modules_of(std::span<const Case> cases);

// Loads what real methods and workloads need.
void load_pipeline_module();

}  // namespace aqbench
