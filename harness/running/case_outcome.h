#pragma once
// What a case gave, from what its child process did.

#include <string>

#include "core/isolate.h"
#include "harness/records/case.h"
#include "harness/running/case_board.h"
#include "harness/running/run_case.h"

namespace aqbench {

// The child's own result, or the record of a case whose child gave none: status, reason with the stage it was
// in and the last line it printed. Never throws for what a child did: also a result of another case, or
// artefacts outside of the bundle, make a failed record. A reason names no folder that is gone with the case:
// the copy of the dataset in the board's scratch folder is called `dataset_name`, the rest "{output}" and
// "{scratch}".
CaseResult result_of(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                     const CaseBoard& board, const std::string& dataset_name = "{dataset}");

}  // namespace aqbench
