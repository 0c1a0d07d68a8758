#pragma once
// Plans again what a run was asked for, for readers of its journal who run nothing.

#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// What differs from the plan, one line each, and what was not checked.
struct PlanCheck {
  std::vector<std::string> problems;  // "case X: axes are not as planned"
  std::string other_version;          // why this build plans other cases than the one that ran them, or ""
  std::string not_planned_again;      // "not planned again: mesh m.ply is not here"; empty: it was
};

// Returns whether this very build began the journal.
bool is_of_this_program(const JournalHeader& header);

// Plans the journal's request again and compares the plan with the journal's, what records repeat of their
// planned cases (scene, method, preset, workload, axes, options, faults) with these, and run.effective with
// the plan. A plan that differs is a problem if this build made the journal, and else `other_version`.
PlanCheck check_plan(const Results& results, const JournalContents& journal);

}  // namespace aqbench
