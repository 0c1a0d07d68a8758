#pragma once
// Compares results.json with the journal that it follows from.

#include <vector>

#include "core/json.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns what in results.json does not follow from the journal: run, plan, request, environment (but its
// load) and records. Names a run.id that is not the name of a folder.
std::vector<Finding> check_run(const Results& results, const JournalContents& journal);

// Returns an environment without its load, which differs from one moment to the next.
Json environment_without_load(Json environment);

}  // namespace aqbench
