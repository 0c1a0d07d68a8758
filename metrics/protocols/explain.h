#pragma once
// Attributes the difference between two protocols' numbers on one cloud to their knobs.

#include <optional>
#include <string>
#include <vector>

#include "metrics/protocols/cloud_knobs.h"
#include "metrics/protocols/cloud_truth.h"

namespace aqbench {

// What one knob does to a number, in the number's unit. Undefined where a number on the way is.
struct KnobEffect {
  std::string knob, from, to;
  std::optional<double> alone;     // the change if A's knob alone is set as in B
  std::optional<double> in_order;  // the change when it is set after those above it; these add up to b - a
};

// Why a number of A differs from that of B.
struct Explanation {
  std::string number;               // "precision"
  std::string unit;                 // of all values here
  std::optional<double> a, b;       // by the two settings, each at the first of its thresholds
  std::vector<KnobEffect> effects;  // of each knob that differs, in the order of cloud_knobs()
};

// Explains precision, recall, f_score, accuracy_mean and completeness_mean. Of several thresholds the first
// counts. Throws Error(usage) as check(knobs) does.
std::vector<Explanation> explain_difference(CloudKnobs a, CloudKnobs b, const PointCloud& cloud,
                                            const CloudTruth& truth);

}  // namespace aqbench
