#pragma once
// Shows which values moved (changed) from each run of a suite to the next, as `aqbench compare` does.

#include <span>
#include <string>
#include <utility>

#include "harness/records/results.h"
#include "reports/site/site_html.h"
#include "reports/site/site_run.h"

namespace aqbench {

// Returns a run as the results of a bundle, as far as a site knows it: cases, status, headline metrics and
// the hash of the options. Times are left out: they vary by themselves, and the trend shows them.
Results site_results(const SiteRun& run);

// Returns the path and the text of the page that compares each of the newest runs of a suite, oldest first,
// with the one before: values that differ, the largest change for the worse first, and what was not compared.
// It holds at most 10 comparisons of at most 100 rows and counts the rest.
std::pair<std::string, std::string> comparisons_page(const std::string& suite,
                                                     std::span<const SiteRun* const> runs,
                                                     const SiteReports& reports);

}  // namespace aqbench
