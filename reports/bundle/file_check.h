#pragma once
// Checks the files that cases wrote, and bench.log.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Compares the files that records name with the hashes there. `files` are all of the bundle, sorted. Throws
// as sha256_file_hex().
std::vector<Finding> check_case_files(const std::filesystem::path& bundle, const Results& results,
                                      const std::vector<std::string>& files);

// Compares the parts of bench.log with the hashes by which the lines of the journal mark them. Throws
// Error(input, io) if it cannot be read.
std::vector<Finding> check_log(const std::filesystem::path& bundle, bool complete,
                               const JournalContents& journal);

}  // namespace aqbench
