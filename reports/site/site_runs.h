#pragma once
// Reads the runs that a site shows: those that it knew, new ones, and those that cannot be read any more.

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "reports/history/trend.h"
#include "reports/site/site_run.h"

namespace aqbench {

// The file of a site that has a line for each run (site_line()).
inline constexpr const char* kSiteRunsFile = "data/runs.jsonl";

// Returns whether the folder holds a site: it has kSiteRunsFile, empty or with the line of a run first.
bool is_site(const std::filesystem::path& folder);

// The runs of a site as they were just read.
struct SiteReading {
  std::vector<SiteRun> runs;
  std::vector<std::string> lines;     // of kSiteRunsFile, one for each run
  std::vector<std::string> problems;  // a line for each bundle and folder that cannot be read
  std::set<std::string> kept;  // keys of the runs whose bundle cannot be read: shown as the site knew them
  std::size_t read = 0;        // bundles that were new or had changed
};

// Reads the bundles. What the site in the folder `site` knows is not read again. Of a bundle that is there
// and cannot be read any more, and of all in folders that cannot be listed, what the site knew stays. Throws
// Error(input, io) for the site's own file.
SiteReading read_site_runs(const std::vector<std::filesystem::path>& bundles,
                           const std::vector<UnlistedFolder>& unlisted, const std::filesystem::path& site);

}  // namespace aqbench
