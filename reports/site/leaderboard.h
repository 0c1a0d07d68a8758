#pragma once
// Methods against scenes for one metric, in the newest run of a suite.

#include <cstddef>
#include <string>

#include "reports/site/site_html.h"

namespace aqbench {

// Returns a table with a row for each method (and its axes) and a column for each scene, of the means over
// seeds. The rows with the fewest missing scenes come first, then by the mean of their values, the best
// first. Bold are the best method of a scene and those that a paired t-test over the seeds of both cannot
// tell from it (p > 0.05); of one seed only equal values. "" where no case of the run has the metric.
std::string leaderboard(const SiteRun& run, std::size_t metric, const SiteReports& reports);

}  // namespace aqbench
