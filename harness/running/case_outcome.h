#pragma once
// Makes the result of a case from the outcome of its child process.

#include <string>

#include "core/processes/isolate.h"
#include "core/sandbox/own_settings.h"
#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_board.h"

namespace aqbench {

// Returns the child's own result or, without one, a record with status and reason: its stage and the last
// line it printed. Never throws for errors of a child: a result of another case and artefacts outside the
// bundle make a failed record, too. A reason contains no folder that is removed with the case: the copy of
// the dataset in the board's scratch folder is named `dataset_name`, the others "{output}" and "{scratch}".
CaseResult result_of(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                     const CaseBoard& board, const std::string& dataset_name = "{dataset}");

// Compares the settings of this process, such as its processors, with those `before` the case. If they
// changed, restores them as far as permitted and sets `before` to the result. If a real method ran meanwhile,
// its result becomes a failed one naming the change, since times of this case and of later ones may be wrong.
void check_own_settings(const Case& planned, OwnSettings& before, CaseResult& result);

}  // namespace aqbench
