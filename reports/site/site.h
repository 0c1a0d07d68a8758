#pragma once
// A static site over bundles: one page with the methods of each suite, what changed over its runs and the
// runs, pages of the newest runs, and a badge for each suite. It requests nothing.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/ab/deciding_time.h"
#include "harness/gating/verdicts.h"
#include "reports/history/trend.h"

namespace aqbench {

// What a site is made of.
struct SiteRequest {
  std::vector<std::filesystem::path> folders;  // bundles, or folders at most three levels above them
  std::filesystem::path out;
  std::vector<std::filesystem::path> baselines = {};  // for the newest run of their suites
  std::size_t reports = 5;                            // pages of the newest so many runs of each suite
  DecideBy decide_by = DecideBy::automatic;           // which time's steps are shown
  std::string commit_of = {};                         // a pattern of commit_in_path(), "" for none
};

// What was done.
struct SiteSummary {
  std::size_t runs = 0, pages = 0;
  std::vector<std::string> problems;  // a line for each bundle that was left out, and each gate that failed
};

// Writes the site, and removes what an earlier call wrote and this one did not. Throws as read_history(), and
// Error(input) if there is no bundle that verifies, if a file of `baselines` is none, or if OUT holds other
// files than a site's; Error(io).
SiteSummary write_site(const SiteRequest& request);

// A run of a suite on a site.
struct SiteRun {
  std::optional<Verdicts> gated = {};  // nullopt: no gate has looked
  std::string report = {};             // where its page lies, "" for none
};

// A suite: its runs, oldest first, and their values over the runs.
struct SiteSuite {
  std::string name;
  TrendHistory history;
  std::vector<TrendSeries> series;
  std::vector<SiteRun> runs;  // of the history
};

// Returns a name as a file may have it: "seed", "plane_sweep.balanced"; odd names get a hash.
std::string site_file_name(std::string_view name);

// Returns the page over all suites. What could not be read is named below them, a line each.
std::string site_page(const std::vector<SiteSuite>& suites, const std::vector<std::string>& problems);

// Returns the badge of a suite (SVG).
std::string suite_badge(const SiteSuite& suite);

}  // namespace aqbench
