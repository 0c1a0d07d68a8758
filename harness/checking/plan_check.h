#pragma once
// Checks whether records are what a plan asked for, and whether the plan is what the request asks for, for
// readers of a journal who run nothing.

#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// The problems that were found, one line each, and why this program may be unable to judge.
struct PlanCheck {
  std::vector<std::string> problems;  // "case X: axes are not those of the plan"
  std::string other_version;          // another build plans other cases for the request; empty: it does not
  std::string not_planned_again;      // "not planned again: mesh m.ply is not here"; empty: it was
};

// Compares
// - each record with its planned case: scene, method, preset, workload, axes, options, simulated, faults,
//   and whether it may have been skipped;
// - the record of a case with several blocks with what these blocks in the journal give together;
// - precision and notes of timed cases with their samples;
// - a profile with what profiles hold; a record that holds a profile must be of a run that says so;
// - the plan with the cases that this program plans for the same request, and run.effective with the plan.
// A plan that differs is a problem where this program made it, and else `other_version`.
PlanCheck check_plan(const Results& results, const JournalContents& journal);

}  // namespace aqbench
