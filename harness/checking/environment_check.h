#pragma once
// Checks what a run says of its machine and its program.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/planning/plan_request.h"
#include "harness/records/case.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// Returns a sentence for each thing that this build would not have written: more usable processors than the
// program may run on, more free memory than there is, a number of threads that no case ran with though none
// was asked for, a memory limit that does not follow from the machine's memory. `planned` are the cases by
// name; a run that `went_on` after an interruption may have done so on another machine.
std::vector<std::string> machine_problems(const Results& results, const PlanRequest& request, bool went_on,
                                          const std::map<std::string, Case>& planned);

// Returns the problems of what an environment (a JSON object) says of the program and of devices: a build or
// libraries that are not those of this very build, which must have measured, and a device that no case has.
// Outside git a build does not know whether its sources were changed.
std::vector<std::string> build_problems(const Json& environment, const std::set<std::string>& devices);

// Returns the values of the comparability key that do not follow from the rest of the environment (a JSON
// object).
std::vector<std::string> key_problems(const Json& environment);

// Returns whether this very build of the program made the journal.
bool is_of_this_program(const JournalHeader& header);

}  // namespace aqbench
