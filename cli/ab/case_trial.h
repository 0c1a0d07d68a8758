#pragma once
// Plans pairs by how long they take: those of two methods, and what plans of commands share with them.

#include <cstddef>
#include <string>

#include "cli/ab/options.h"
#include "harness/ab/document.h"
#include "harness/ab/run.h"

namespace aqbench::cli {

// Pairs per look where --pairs is not given and the rule needs no more: without a slow run 23 show that a
// slow mode has less than 20 % of B's runs (harness/statistics/slow_runs.h).
inline constexpr std::size_t kUsualPairs = 24;

// Returns a time for a reader: "0.25 s", "1:05".
std::string duration_text(double seconds);

// Returns "about 0:10, at most 0:40 with all top-ups and a confirmation" of looks that take so long.
std::string time_needed(const AbDocument& document, double look_s);

// Plans as many pairs for each look as --pairs says, else 24 or as many as the rule needs for so many judged
// quantities. Throws Error(usage) for too few pairs and for more than can be tested exactly.
void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document);

// Measures a pair of each case, which counts, for half a minute at most, and says on stderr how long the
// comparison will take. `document` must have its cases, settings and pairs per look. A unit that fails ends
// the trial: the comparison will say why. Throws Error(interrupted).
void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document);

}  // namespace aqbench::cli
