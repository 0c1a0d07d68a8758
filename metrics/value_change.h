#pragma once
// Says in words which metric it is, and whether a change of it is for the worse: one rule for `gate`, `ab`,
// `compare`, `trend` and `site`.

#include <optional>
#include <string>
#include <string_view>

#include "metrics/metric.h"

namespace aqbench {

// Returns by how much `after` is worse than `before`, in the metric's unit, below 0 where it is better. A
// metric of direction `equal` is worse by as much as it lies further from its ideal (metric_ideal()). Returns
// nullopt where one value is NaN, and where the metric has direction `equal` and no ideal, as a count of
// points.
std::optional<double> worse_by(std::string_view metric, Better better, double before, double after);

// Returns 1 where `after` is worse than `before`, -1 where it is better, else 0.
int worsening(std::string_view metric, Better better, double before, double after);

// Returns "worse" (1), "better" (-1) or "other" (0) for what worsening() says.
const char* change_word(int worsening);

// Returns the change as people read it: in percent of |before|, "+5 %" for -2 to -1.9; as a factor, "5.7 x",
// where a positive value at least doubled; as the difference, "+0.05", for direction `equal` and where
// `before` is 0.
std::string change_text(Better better, double before, double after);

// Returns worse_by() as a share of |before|, or of its distance from the ideal, by which rows are sorted: 0
// where worsening() is 0, and as if that were 1e-12 where it is smaller.
double worsening_share(std::string_view metric, Better better, double before, double after);

// Returns the words for a headline metric at any tolerance, "mean error" or "completeness at 1 mm"; for
// another metric its name.
std::string metric_words(const std::string& metric);

}  // namespace aqbench
