#pragma once
// A run of a part of a suite, chosen by --scene, --method or --workload: what else a baseline has is not
// missing.

#include <string>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// The part of its suite that a run has.
struct PartOfSuite {
  std::vector<std::string> asked_scenes, asked_methods,
      asked_workloads;                                  // filters; all empty: the whole suite
  std::vector<std::string> scenes, methods, workloads;  // that have cases

  // Returns whether the filters leave out a case of this name: its scene, method or workload has no case in
  // the run.
  bool leaves_out(const std::string& case_name) const;

  // Returns "a part of the suite (--method x): 3 accepted cases were not asked for: NAME, ...", with at most
  // 20 names.
  std::string note(const std::vector<std::string>& left_out) const;
};

// Returns the part from the request and the effective options; the whole suite where the run has none.
PartOfSuite part_of_suite(const Results& results);

}  // namespace aqbench
