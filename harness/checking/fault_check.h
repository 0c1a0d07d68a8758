#pragma once
// Checks what a record says of the faults that were injected into its case.

#include <string>
#include <vector>

#include "harness/records/case.h"
#include "harness/records/record.h"

namespace aqbench {

// The problems of a record, each a sentence without its full stop. Those that may be none in another version
// of the program stand apart: stages and metrics that this version does not know.
struct SourceProblems {
  std::vector<std::string> always, of_this_version;
};

// Returns what a record of a sweep says of its faults that contradicts how the case ended and what its stages
// took: a fault that ends the case struck, and it ended well; one that did not strike although its stage ran,
// or struck more often than the stage was called; a delay longer than the stage; a case that failed by a
// fault which did not strike. Of stages that a program tells itself, in which nothing strikes, it says
// nothing.
SourceProblems fault_problems(const Record& record, const Case& planned);

}  // namespace aqbench
