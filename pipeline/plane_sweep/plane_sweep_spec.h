#pragma once
// The parameters, presets and stages of the method `plane_sweep`. Part of the program, not of a module.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// The prefix of the parameters of the sparse cloud, which gives the depth ranges.
inline constexpr const char* kPlaneSweepSparsePrefix = "sparse_";

// Returns the parameters, with their units, ranges and defaults.
std::vector<ParameterSpec> plane_sweep_parameters();

// Returns balanced, fast and quality.
std::vector<Preset> plane_sweep_presets();

// Returns the names of the stages that a run opens, outermost first.
std::vector<std::string> plane_sweep_stages();

}  // namespace aqbench
