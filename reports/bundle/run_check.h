#pragma once
// Compares results.json with the journal that it follows from, and both with the files that cases wrote.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns what in results.json does not follow from the journal: run, plan, request, environment (but its
// load) and records. Names a run.id that is not the name of a folder.
std::vector<Finding> check_run(const Results& results, const JournalContents& journal);

// Compares the files that records name with the hashes there. `files` are all of the bundle, sorted. Throws
// as sha256_file_hex().
std::vector<Finding> check_case_files(const std::filesystem::path& bundle, const Results& results,
                                      const std::vector<std::string>& files);

// Compares the parts of bench.log with the hashes by which the lines of the journal mark them. Throws
// Error(input, io) if it cannot be read.
std::vector<Finding> check_log(const std::filesystem::path& bundle, bool complete,
                               const JournalContents& journal);

}  // namespace aqbench
