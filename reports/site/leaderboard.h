#pragma once
// Methods against scenes for one metric, in the newest run of a suite.

#include <cstddef>
#include <span>
#include <string>

#include "reports/site/site_html.h"
#include "reports/site/site_run.h"
#include "reports/site/site_steps.h"

namespace aqbench {

// Returns a table with a row for each method (and its axes) and a column for each scene, of the means over
// seeds. The rows with the fewest missing scenes come first, then by the mean of their values, the best
// first. Bold are the best method of a scene and those that a paired t-test over the seeds of both cannot
// tell from it (p > 0.05); of one seed only equal values. The last column leads to the newest of the `steps`
// of the row's cases. "" where no case of the newest run has the metric.
std::string leaderboard(std::span<const SiteRun* const> runs, std::size_t metric, const SiteReports& reports,
                        std::span<const SiteStep> steps);

}  // namespace aqbench
