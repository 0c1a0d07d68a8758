#pragma once
// Plans pairs by how long they take: those of two methods, and what plans of commands share with them.

#include <cstddef>
#include <string>

#include "cli/ab/options.h"
#include "harness/ab/document.h"
#include "harness/ab/run.h"

namespace aqbench::cli {

// What --quick takes: seconds for its pairs and their trial, and pairs at most.
inline constexpr double kQuick_s = 55;
inline constexpr std::size_t kQuickPairs = 40;

// Returns a time for a reader: "0.25 s", "1:05".
std::string duration_text(double seconds);

// Returns "about 0:10, at most 0:40 with all top-ups and a confirmation" of looks that take so long.
std::string time_needed(const AbDocument& document, double look_s);

// Returns how many pairs of `pair_s` seconds --quick has time for after `spent_s`.
std::size_t quick_pairs(double pair_s, double spent_s);

// Plans as many pairs for each look as --pairs says, else 24 or as many as the rule needs for so many judged
// quantities. Throws Error(usage) for too few pairs and for more than can be tested exactly.
void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document);

// Plans one look without a confirmation.
void plan_one_look(AbDocument& document);

// Runs a unit of both sides of each case and says on stderr how long the comparison will take. With --quick
// it also chooses as many pairs as fit into a minute, in one look without a confirmation. `document` must
// have its cases, settings and pairs per look. A unit that fails ends the trial: the comparison will say why.
// Throws Error(usage) where not one pair fits into a minute, Error(interrupted).
void plan_by_case_trial(const AbRequest& request, const AbUnitRunner& runner, AbDocument& document);

// Adds a note to the document that says how many pairs --quick had time for, where a verdict needs more.
void note_quick_pairs(AbDocument& document);

}  // namespace aqbench::cli
