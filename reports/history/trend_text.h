#pragma once
// A history of bundles as text and as charts.

#include <cstddef>
#include <string>
#include <vector>

#include "core/table.h"
#include "reports/history/trend.h"

namespace aqbench {

// Returns a line for each change, newest first, then how many series did not change. Names are never cut;
// other lines are as long as `width`.
std::string render_trends(const TrendHistory& history, const std::vector<TrendSeries>& series, bool colours,
                          std::size_t width = kScreenColumns);

// Returns the p of a step for a reader: "exact" for 0, "n/a" for 1, of too few runs for any.
std::string step_p_text(double p);

// Draws a chart for each series (at most 24, those with changes first): the values over the runs, the levels
// as lines, the changes marked. The SVG needs no other file and suits light and dark screens.
std::string trends_svg(const TrendHistory& history, const std::vector<TrendSeries>& series);

}  // namespace aqbench
