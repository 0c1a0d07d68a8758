#pragma once
// Checks what a record says of how its method ran: what the method looked at and could reach, its stages, the
// faults that struck. It is compared with the plan of the case, for readers who cannot run the case again.

#include <map>
#include <string>
#include <vector>

#include "harness/checking/fault_check.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {

// Returns what in a record does not fit its case: an isolation that aqbench does not have, or none for a real
// method; the hash of a dataset where the case looks at none, no such hash where it does, or a hash that is
// not that of the planned recording; a program where the method runs none; times of another kind of case; a
// fault that did not strike although its stage ran; stages of another method; holes that do not add up to 100
// % with completeness; metrics that such a case has and the record lacks, or the other way round.
// `is_profile`: a record of `aqbench profile`, which holds less.
SourceProblems source_problems(const Record& record, const Case& planned, bool is_profile);

// Returns a sentence for each case whose hash of its dataset differs from that of another case in this
// journal that looked at the same dataset. Returns nothing for cases that ran on several machines, which may
// render different bytes. Throws Error(input) for a plan that cannot be read.
std::vector<std::string> dataset_problems(const Results& results, const JournalContents& journal);

// Returns a sentence for each scored case whose density of points does not follow from the number of its
// points and the true area of its scene. `planned` are the cases by name; scenes from files are left out.
std::vector<std::string> density_problems(const Results& results, const std::map<std::string, Case>& planned);

}  // namespace aqbench
