#pragma once
// The stages of one case, and what decision.h has in common with them.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/ab/decision.h"

namespace aqbench {

// Returns the shortest run. Throws Error(input) for a unit that ended well without one.
double shortest_warm_run(const std::vector<double>& runs);

// Returns the values at these indices.
std::vector<double> chosen(const std::vector<double>& values, const std::vector<std::size_t>& indices);

// Compares the stages' self times in the pairs of one case, a[i] with b[i], by their shortest run in each
// unit.
std::vector<AbStageDecision> decide_stages(std::span<const AbUnit* const> a, std::span<const AbUnit* const> b,
                                           const PairedPolicy& policy);

}  // namespace aqbench
