#pragma once
// Bars of report.html that are as wide as the page: rows of HTML, not a drawing. And the charts of `aqbench
// export`, which have no shapes where there is nothing to draw.

#include <string>
#include <utility>
#include <vector>

#include "core/drawing/drawing.h"
#include "reports/content/bundle_content.h"
#include "reports/content/case_columns.h"

namespace aqbench {

// Self times of one group, each the sum of its records' medians over the number of records that are ok.
struct StageBar {
  CaseGroup group;
  std::vector<std::pair<std::string, double>> stages;  // ms
  std::vector<std::string> unknown;                    // stages without samples in a record
  double total = 0;                                    // ms, of the known ones

  // Returns "12.5 s" in a unit of the whole chart, and which stages are not in it.
  std::string text(const TimeUnit& unit) const;
};

// The bars of the groups that have stages, and the names of all stages in the order in which they come.
struct StageBars {
  std::vector<StageBar> bars;
  std::vector<std::string> names;
};
StageBars stage_bars(const std::vector<CaseGroup>& groups);
double longest_bar_ms(const std::vector<StageBar>& bars);

// Returns the colour of a stage, "#rrggbb": each of `names` has its own.
std::string stage_fill(const std::vector<std::string>& names, const std::string& name);

// Returns "12.5 ms", "12.5 s" or "12.5 min", with three significant digits.
std::string time_text(double ms);

// Returns a bar for each group that has the metric: its mean over the seeds, and their standard deviation. ""
// without.
std::string metric_bars(const std::vector<CaseGroup>& groups, const MetricColumn& column);

// Returns a bar for each group, divided into the self times of its stages, below the colours of the stages.
std::string stage_bars_html(const std::vector<CaseGroup>& groups);

// Returns a box plot of the warm runs of each case with at least three, and a dot for its cold run. Each row
// has its own scale, since the spread is what it shows.
std::string time_boxes(const Results& results);

// The columns whose means over seeds are bars: the names of their files, and how their metrics begin.
inline constexpr std::pair<const char*, const char*> kBarColumns[] = {
    {"accuracy", "accuracy_mean_mm"},         {"precision", "precision_"},
    {"completeness", "completeness_"},        {"coverage", "photometric_coverage_pct"},
    {"agreement", "photometric_zncc_median"}, {"reprojection", "reprojection_median_px"}};

// Returns the columns of kBarColumns that there are, with the names of their files; of imported numbers all.
std::vector<std::pair<std::string, MetricColumn>> bar_columns(const std::vector<CaseGroup>& groups);

// Draws a bar for each group: the metric's mean over seeds, with its standard deviation as a thin line.
Drawing bars_chart(const std::vector<CaseGroup>& groups, const std::string& metric, const char* title);

// Draws a bar for each group, divided into the self times of its stages.
Drawing stages_chart(const std::vector<CaseGroup>& groups);

// Draws a box plot of the warm runs of each case with at least three, and a dot for its cold run.
Drawing times_chart(const Results& results);

// Returns names and drawings: kBarColumns, stages, times; those that have something to show.
std::vector<std::pair<std::string, Drawing>> report_figures(const BundleContent& content);

}  // namespace aqbench
