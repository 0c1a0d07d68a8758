#pragma once
// Bars of report.html that are as wide as the page: rows of HTML, not a drawing.

#include <string>
#include <vector>

#include "reports/content/case_columns.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// Returns a bar for each group that has the metric: its mean over the seeds, and their standard deviation. ""
// without.
std::string metric_bars(const std::vector<CaseGroup>& groups, const MetricColumn& column);

// Returns a bar for each group, divided into the self times of its stages, below the colours of the stages.
std::string stage_bars_html(const std::vector<CaseGroup>& groups);

// Returns a box plot of the warm runs of each case with at least three, and a dot for its cold run. Each row
// has its own scale, since the spread is what it shows.
std::string time_boxes(const Results& results);

}  // namespace aqbench
