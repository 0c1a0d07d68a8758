#pragma once
// A comparison of two bundles as text.

#include <cstddef>
#include <optional>
#include <string>

#include "core/table.h"
#include "reports/history/compare.h"

namespace aqbench {

// Returns a factor as text: "1.40 x"; "n/a" for none.
std::string factor_text(const std::optional<double>& factor);

// Returns a line with the stage whose self time changed most, if one changed by 5 % or more:
// "depth_estimation of undulating/...: 1.40 x: 2.00 x the calls, 0.70 x the time per call". Empty if none
// did.
std::string moved_stage_line(const CompareReport& report);

// Returns the tables, whose names are never cut; other lines are as long as `width`. Metrics that are equal
// are counted and not listed unless `all`. Each table of times says what it is: a trend, or a trend from the
// same machine key.
std::string render_compare(const CompareReport& report, bool colours = false, bool all = false,
                           std::size_t width = kScreenColumns);

}  // namespace aqbench
