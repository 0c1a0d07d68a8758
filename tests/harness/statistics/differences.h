#pragma once
// The rule of harness/statistics/paired.h on differences that stand for themselves, all of which are kept:
// for values that are no times, and to see what halving the pairs is worth. Written from docs/statistics.md
// on the single tests, apart from compare_pairs(). No command uses it.

#include <string>
#include <vector>

#include "harness/statistics/paired.h"

namespace aqbench {

// Holds one case: differences on the metric's own scale.
struct DifferenceSeries {
  std::string name;
  std::vector<double> differences;  // of any sign; above 0 means that B is worse
  double tau = 0;                   // flagged above; >= 0
  double delta = 0;                 // PASS below; above 0, not below tau
};

// Judges one case alone. Shift, interval and thresholds of the result are in the unit of the differences; its
// `scale`, the cv and the bootstrap are not used, nor are the policy's tau and delta. Throws Error(input) and
// Error(usage) naming case and field.
PairedComparison compare_differences(const DifferenceSeries& series, const PairedPolicy& policy);

}  // namespace aqbench
