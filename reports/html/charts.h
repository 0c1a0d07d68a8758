#pragma once
// The charts of `aqbench export`. Each has no shapes where there is nothing to draw.

#include <string>
#include <utility>
#include <vector>

#include "core/drawing/drawing.h"
#include "reports/content/bundle_content.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// Draws a bar for each group: the metric's mean over seeds, with its standard deviation as a thin line.
Drawing bars_chart(const std::vector<CaseGroup>& groups, const std::string& metric, const char* title);

// Draws a bar for each group, divided into the self times of its stages.
Drawing stages_chart(const std::vector<CaseGroup>& groups);

// Draws a box plot of the warm runs of each case with at least three, and a dot for its cold run.
Drawing times_chart(const Results& results);

// Returns names and drawings: accuracy, precision, completeness, agreement, reprojection, baseline, stages,
// times; those that have something to show.
std::vector<std::pair<std::string, Drawing>> report_figures(const BundleContent& content);

}  // namespace aqbench
