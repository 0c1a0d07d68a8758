#pragma once
// A bundle of results that no plan gives: nothing can run their cases again.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/bundle_run.h"
#include "core/error.h"
#include "harness/records/results.h"

namespace aqbench::cli {

// Writes the bundle with these other files (name and bytes); `run.requested` of the results says where they
// come from (numbers_source()). Prints to `stream` as BundleRun::finish() does.
ExitCode write_unplanned_bundle(const BundleStart& start, Results results,
                                const std::vector<std::pair<std::string, std::string>>& files,
                                std::FILE* stream);

}  // namespace aqbench::cli
