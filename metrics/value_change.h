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

// Returns the change as people read it. A percentage changes by points: "-57.6 points" for 96 to 38.4 %.
// Other values change in percent of |before|, "+5 %" for -2 to -1.9; by a factor, "5.7 x", where a positive
// value at least doubled; and by the difference, "+0.05", for direction `equal` and where `before` is 0.
std::string change_text(std::string_view unit, Better better, double before, double after);

// Returns a number of percentage points with its noun: "1 point", "-57.6 points".
std::string points_text(std::string number);

// Returns whether the better of two values says that a result is more accurate: not of agreement and scale,
// whose definitions end in "no accuracy". Nothing is best by such a metric.
bool is_ranked(std::string_view metric);

// Returns the words for a headline metric at any tolerance, "mean error" or "completeness at 1 mm"; for
// another metric its name.
std::string metric_words(const std::string& metric);

}  // namespace aqbench
