#pragma once
// Checks the files of a bundle beside its records: which case wrote them, what the log says of each case, and
// how the commands ended.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "reports/content/bundle_content.h"
#include "reports/content/bundle_files.h"

namespace aqbench {

// Returns these problems:
// - files of cases that no record names or that have another hash than there, and files that no bundle has;
// - parts of bench.log that the journal does not know, and cases of which it says another end than their
// records;
// - cases that took longer together than the run, and of one run on one machine that looked at the same
//   dataset and saw different ones; a case that took more memory than the machine has;
// - what is wrong in commands.txt (command_check.h), a tests.log that says that tests passed which did not.
// `content` is what could be read beside the results, `files` are all of the bundle, sorted. For bundles of
// the present format; throws Error(input, io) naming a file that cannot be read.
std::vector<Finding> check_files(const std::filesystem::path& bundle, const BundleContent& content,
                                 const JournalContents& journal, const std::vector<std::string>& files);

}  // namespace aqbench
