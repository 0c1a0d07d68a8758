#pragma once
// The charts of report.html. Each is HTML with one SVG picture, or empty where there is nothing to draw.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// Draws a bar for each group: the metric's mean over seeds, with its standard deviation as a thin line.
std::string bars_chart(const std::vector<CaseGroup>& groups, const std::string& metric, const char* title);

// Draws the change of each metric against the baseline, in units of its tolerance, worst first.
std::string baseline_chart(const BundleContent& content);

// Draws a bar for each group, divided into the self times of its stages.
std::string stages_chart(const std::vector<CaseGroup>& groups);

// Returns the names of the stages of stages_chart() in the order of their colours.
std::vector<std::string> stage_names(const std::vector<CaseGroup>& groups);

// Draws a box plot of the warm runs of each case with at least three, and a dot for its cold run.
std::string times_chart(const Results& results);

}  // namespace aqbench
