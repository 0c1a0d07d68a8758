#pragma once
// The owners of parameters that axes and settings of a sweep can name.

#include <string>
#include <vector>

#include "core/parameters.h"
#include "harness/planning/select.h"

namespace aqbench {

// Returns whether a scene of the selection is a recording.
bool has_recording(const Selection& selection);

// Returns the names of all owners of parameters: scenes, methods, workloads, rigs, imaging, perturb, dataset.
std::vector<std::string> owners_of(const Selection& selection);

// Returns the parameters of one owner; none for an unknown one.
const std::vector<ParameterSpec>& parameters_of(const Selection& selection, const std::string& owner);

}  // namespace aqbench
