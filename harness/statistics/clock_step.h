#pragma once
// The resolution of measured times: the step of the clock, or of the text, that they were read from. Equal
// values are no precision where each could have been half a step longer or shorter.

#include <optional>
#include <span>

namespace aqbench {

// Returns the largest step of which all values are multiples, each within 1e-6 of the step; nullopt where no
// step is above 1e-5 of the smallest value. Equal values are multiples of themselves. The values must be
// above 0.
std::optional<double> clock_step(std::span<const double> values);

}  // namespace aqbench
