#pragma once
// Whether records are what a plan asked for, and the plan what the request asks for: for readers of a journal
// who run nothing.

#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// What is wrong, a line each, and why this program may not be the one to say so.
struct PlanCheck {
  std::vector<std::string> problems;  // "case X: axes are not those of the plan"
  std::string other_version;          // another build plans other cases for the request; empty: it does not
  std::string not_planned_again;      // "not planned again: mesh m.ply is not here"; empty: it was
};

// Holds
// - each record against its planned case: scene, method, preset, workload, axes, options, simulated, faults,
//   and whether it may have been skipped;
// - the record of a case with several blocks against what these blocks in the journal give together;
// - precision and notes of timed cases against their samples;
// - a profile against what profiles hold, and a record that holds one against a run that tells it;
// - the plan against the cases that this program plans for the same request, and run.effective against it.
// A plan that differs is a problem where this program made it, and else `other_version`.
PlanCheck check_plan(const Results& results, const JournalContents& journal);

}  // namespace aqbench
