#pragma once
// What a site says of one suite: a part of its page, and a badge.

#include <optional>
#include <string>
#include <vector>

#include "harness/gating/verdicts.h"
#include "reports/history/trend.h"

namespace aqbench {

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
