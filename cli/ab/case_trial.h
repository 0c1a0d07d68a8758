#pragma once
// Tries the units of two methods before the first pair, to learn how long they take.

#include "cli/ab/options.h"
#include "harness/ab/document.h"
#include "harness/ab/run.h"

namespace aqbench::cli {

// Runs a unit of both sides of each case and says on stderr how long the comparison will take. With --quick
// it also chooses as many pairs as fit into a minute, in one look without a confirmation. `document` must
// have its cases, settings and pairs per look. A unit that fails ends the trial: the comparison will say why.
// Throws Error(usage) where not one pair fits into a minute, Error(interrupted).
void plan_by_case_trial(const AbRequest& request, const AbUnitRunner& runner, AbDocument& document);

// Adds a note to the document that says how many pairs --quick had time for, where a verdict needs more.
void note_quick_pairs(AbDocument& document);

}  // namespace aqbench::cli
