#pragma once
// What a record says of how its method ran: what it looked at and could reach, which stages it went through,
// which of its faults struck. Held against the plan of its case, by readers who cannot run it again.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// What is wrong, a sentence without its end each. What another version of the program may do otherwise stands
// apart: stages and metrics that this one does not know.
struct SourceProblems {
  std::vector<std::string> always, of_this_version;
};

// Returns what of a record does not fit its case: an isolation that there is none of, or none where there
// must be one; a dataset's hash of a case that looks at none, or none, or not the planned recording's; a
// program of a method that runs none; a fault that did not strike in a stage that ran; stages of another
// method; holes that are not what completeness lacks; metrics that such a method has and this record lacks.
// `is_profile`: a record of `aqbench profile`, which holds less.
SourceProblems source_problems(const Record& record, const Case& planned, bool is_profile);

// Returns a sentence for each case that looked at the same dataset as another one, planned in this journal,
// and has another hash of it. Of one machine: others may render other bytes. Throws Error(input) for a plan
// that cannot be read.
std::vector<std::string> dataset_problems(const Results& results, const JournalContents& journal);

// Returns a sentence for each scored case whose density of points is not that of its points on the true
// surface of its scene. `planned` are the cases by name; what lies in files is left out.
std::vector<std::string> density_problems(const Results& results, const std::map<std::string, Case>& planned);

// Returns what an environment, an object, says of the program that only this very build can know: its build
// and its libraries, and a device that no case has. Outside git it does not know whether its sources were
// changed.
std::vector<std::string> build_problems(const Json& environment, const std::set<std::string>& devices);

// Returns what of the comparability key does not follow from the rest of the environment, an object.
std::vector<std::string> key_problems(const Json& environment);

// Returns whether this program, the very same build, made the journal.
bool is_of_this_program(const JournalHeader& header);

}  // namespace aqbench
