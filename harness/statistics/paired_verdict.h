#pragma once
// The verdict on one case from its estimates: the last step of paired.h.

#include "harness/statistics/paired_comparison.h"

namespace aqbench {

// Returns how much worse than the typical run a slow one is, on the scale of the comparison: twice delta in
// logarithms (10.25 % with delta 5 %); of a metric its margin.
double slow_run_margin(const PairedComparison& comparison);

// Fills in verdict, reason and pairs_needed of a case that is gated from the rest, as paired.h says; `delta`
// is the policy's.
void judge_pairs(PairedComparison& result, double delta);

}  // namespace aqbench
