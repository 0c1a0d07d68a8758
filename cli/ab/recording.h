#pragma once
// What a bundle of `aqbench ab` needs beside that of other commands (cli/bundle_run.h).

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/ab/options.h"
#include "cli/bundle_run.h"
#include "harness/ab/document.h"
#include "harness/records/case_result.h"

namespace aqbench::cli {

// Returns what an interrupted comparison was begun with. Throws as read_journal(), and Error(input) for a
// sweep.
JournalHeader ab_header(const std::filesystem::path& bundle);

// Makes the bundle of a comparison, or opens that of request.resume, and fills in what the journal knows:
// run.id, .started_utc, .resumed and the units measured before. `plans` are AbSides::plans. Throws as
// BundleRun, and Error(input) for a comparison that is complete.
BundleRun open_ab_bundle(const AbRequest& request, const Arguments& arguments,
                         const std::vector<std::string>& plans, AbDocument& document);

// Appends a pair to the journal, its files first.
void keep_pair(Journal& journal, const std::vector<CaseResult>& pair);

// Appends units that were measured elsewhere.
void keep_units(Journal& journal, std::span<const Record> units);

}  // namespace aqbench::cli
