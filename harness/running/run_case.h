#pragma once
// Runs one case, in the child process that was forked for it.

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_board.h"

namespace aqbench {

// The record of a case that has not run: names, axes, options, faults planned (0 times), status failed.
Record planned_record(const Case& planned);

// Makes the scene and, for a real method, its images (dataset_ms), runs the method (the first call of this
// process: cold_ms; then warm as the case's timing says), scores the result; or proves and times a workload.
// What goes wrong stands in the record as failed with a one-line reason: also a real method's output without
// points or with one that is not finite. A case that cannot run here is skipped. Never throws for what a
// method does. Stages and faults are noted on the board as they happen.
CaseResult run_case(const Case& planned, CaseBoard& board);

// What is kept of a scored case beside its tables.
struct KeptFiles {
  bool cloud = false;    // what was scored: clouds/NAME.ply
  bool pictures = true;  // of depth maps: pictures/NAME/ (harness/running/depth_pictures.h)
};
CaseResult run_case_keeping(const Case& planned, CaseBoard& board, const KeptFiles& kept);

// The same without scoring a method's output: where its hash is enough.
CaseResult run_case_unscored(const Case& planned, CaseBoard& board);

}  // namespace aqbench
