#pragma once
// The verdict on one case from its estimates: the last step of paired.h.

#include <span>
#include <vector>

#include "harness/statistics/paired_comparison.h"

namespace aqbench {

// Returns how much worse than the typical run a slow one is, on the scale of the comparison: twice delta in
// logarithms (10.25 % with delta 5 %); of a metric its margin.
double slow_run_margin(const PairedComparison& comparison);

// Fills in verdict, reason and pairs_needed of a case that is gated from the rest, as paired.h says; `delta`
// is the policy's.
void judge_pairs(PairedComparison& result, double delta);

// Returns the p-values of several tests, adjusted so that the chance of even one false rejection stays at
// alpha, however the tests depend on each other: a test is rejected at alpha exactly if its adjusted p is at
// most alpha. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.
// Throws Error(input) "p_values[2] is 1.5, must be 0 to 1".
std::vector<double> holm(std::span<const double> p_values);

}  // namespace aqbench
