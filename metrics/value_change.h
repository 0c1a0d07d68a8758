#pragma once
// Names and writes the change of a value: one rule for `compare`, `trend` and `site`.

#include <string>

#include "metrics/metric.h"

namespace aqbench {

// Returns 1 where `after` is worse than `before`, -1 where it is better, and 0 where they are equal, one of
// them is NaN, or the metric has no better side, as a bias or a count of points has none.
int worsening(Better better, double before, double after);

// Returns "worse" (1), "better" (-1) or "other" (0) for what worsening() says.
const char* change_word(int worsening);

// Returns the change as people read it, with its sign: in percent of |before|, "+5 %" for -2 to -1.9, and as
// the difference, "+0.05", where the metric has no better side or `before` is 0.
std::string change_text(Better better, double before, double after);

// Returns the change for the worse as a share of |before|, by which rows are sorted: negative for the better,
// 0 where worsening() is 0, and as if `before` were 1e-12 where it is smaller.
double worsening_share(Better better, double before, double after);

}  // namespace aqbench
