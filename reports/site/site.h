#pragma once
// A static site over bundles: an index with a search, pages for each suite, scene, method and metric, what
// moved from run to run, accepted values, a badge and a JSON document for each suite. It requests
// nothing from other hosts.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/load.h"

namespace aqbench {

// What a site is made of.
struct SiteRequest {
  std::vector<std::filesystem::path> folders;  // bundles, or folders at most three levels above them
  std::filesystem::path out;
  std::vector<std::filesystem::path> baselines = {};  // beside those that stand in the folders
  std::size_t reports = 5;                            // pages of the newest so many runs of each suite
  DecideBy decide_by = DecideBy::automatic;           // which time's steps are shown
  std::string commit_of = {};                         // a pattern of commit_in_path(), "" for none
};

// What was done.
struct SiteSummary {
  std::size_t runs = 0, read = 0, pages = 0;  // read: bundles that were new or had changed
  std::vector<std::string> problems;          // a line for each bundle, report and baseline not read
};

// Writes the site. What it knows of bundles from before (OUT/data/runs.jsonl) is not read again: adding a
// bundle reads that one alone. A bundle that is gone disappears, and so do its pages; one that is there and
// cannot be read any more stays as the site knew it. What cannot be read is named on the index page, too.
// Throws Error(io), and Error(input) if a folder cannot be listed, if there is no bundle at all, if a file of
// `baselines` is none, or if OUT holds other files than a site's.
SiteSummary write_site(const SiteRequest& request);

}  // namespace aqbench
