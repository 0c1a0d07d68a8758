#pragma once
// The scale and the margin of a metric that is compared in place of a time.

#include <optional>
#include <span>
#include <string>

#include "harness/statistics/paired_comparison.h"

namespace aqbench {

// Throws Error(usage) "NAME: margin ..." unless the margin is finite and above 0, and for a share below 1;
// and for a share of a metric that has an ideal.
void check(const QualityScale& scale, const std::string& name);

// Returns the scale on which the metric's pairs are compared.
ShiftScale quality_shift_scale(const QualityScale& scale);

// Returns how much worse B is than A on this scale: above 0 is worse. For distance_from_ideal a and b are the
// differences from the ideal.
double worse_by(ShiftScale scale, double a, double b);

// Returns the resolution of measured times: the largest step that divides all values, each within 1e-6 of the
// step; nullopt if no step is above 1e-5 of the smallest value. Equal values divide themselves, which is no
// precision: each could have been half a step longer or shorter. The values must be above 0.
std::optional<double> clock_step(std::span<const double> values);

}  // namespace aqbench
