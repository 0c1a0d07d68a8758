#pragma once
// The pages of a site as text.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/site/site_html.h"

namespace aqbench {

// Return a file about one suite: its page, the data of the page's scripts, its badge (SVG), and its values as
// JSON for shields.io and other readers.
SiteFile suite_page(const std::string& name, const SiteSuite& suite, const SiteReports& reports);
SiteFile suite_data(const std::string& name, const SiteSuite& suite);
SiteFile suite_badge(const std::string& name, const SiteRun& newest);
SiteFile suite_endpoint(const std::string& name, const SiteRun& newest);

// Returns the first page: the newest changes for the worse, all suites, each with its values over the runs as
// a line, what could not be read (a line each), and the search.
SiteFile index_page(const SiteSuites& suites, const SiteReports& reports,
                    const std::vector<std::string>& problems);

// Returns a page for each scene, method and metric over the newest run of every suite; a metric's page also
// lists its steps.
std::vector<SiteFile> subject_pages(const SiteSuites& suites, const SiteReports& reports);

// Returns the page that compares each of the newest runs of a suite, oldest first, with the one before:
// values that differ, the largest change for the worse first, and what was not compared. It holds at most 10
// comparisons and counts the rest.
SiteFile comparisons_page(const std::string& suite, std::span<const SiteRun* const> runs,
                          const SiteReports& reports);

// Returns the files that all pages share: styles and scripts.
std::vector<SiteFile> site_assets();

// Returns a table with a row for each method (and its axes) and a column for each scene, of the means over
// seeds (method_tables(), ranked). The last column leads to the newest of the `steps` of the row's cases. ""
// where no case of the newest run has the metric.
std::string leaderboard(std::span<const SiteRun* const> runs, std::size_t metric, const SiteReports& reports,
                        std::span<const SiteStep> steps);

}  // namespace aqbench
