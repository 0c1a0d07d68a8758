#pragma once
// Checks what a run says of its machine.

#include <map>
#include <string>
#include <vector>

#include "harness/planning/plan_request.h"
#include "harness/records/case.h"
#include "harness/records/results.h"

namespace aqbench {

// Returns a sentence for each thing that this build would not have written: more usable processors than the
// program may run on, more free memory than there is, a number of threads that no case ran with though none
// was asked for, a memory limit that does not follow from the machine's memory. `planned` are the cases by
// name; a run that `went_on` after an interruption may have done so on another machine.
std::vector<std::string> machine_problems(const Results& results, const PlanRequest& request, bool went_on,
                                          const std::map<std::string, Case>& planned);

}  // namespace aqbench
