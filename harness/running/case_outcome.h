#pragma once
// Makes the result of a case from how its child process ended.

#include <string>

#include "core/processes/isolate.h"
#include "core/sandbox/own_settings.h"
#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_board.h"

namespace aqbench {

// Returns the child's own result, or, if it gave none, a record with status and reason: the stage it was in
// and the last line it printed. Never throws for what a child did: a result of another case and artefacts
// outside of the bundle make a failed record, too. A reason names no folder that is removed with the case: it
// calls the copy of the dataset in the board's scratch folder `dataset_name`, the others "{output}" and
// "{scratch}".
CaseResult result_of(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                     const CaseBoard& board, const std::string& dataset_name = "{dataset}");

// Compares the settings of this process, such as the processors that it may use, with those `before` the
// case. If they changed, sets them back as far as this process may, and sets `before` to what they are then.
// If a real method ran meanwhile, its result becomes a failed one that says what changed, since times of this
// case and of later ones may be wrong.
void check_own_settings(const Case& planned, OwnSettings& before, CaseResult& result);

}  // namespace aqbench
