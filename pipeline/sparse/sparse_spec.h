#pragma once
// The parameters, presets and stages of the method `sparse`. Part of the program, not of a module.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench::sparse {

// Returns the parameters of the sparse cloud, each name with this `prefix` ("sparse_" for a method that
// computes a sparse cloud first).
std::vector<ParameterSpec> parameters(const std::string& prefix = "");

// Returns clahe, clahe_clip_limit and clahe_tiles: for every method that reads images.
std::vector<ParameterSpec> view_parameters();

// Returns parameters() and view_parameters() together, for the method `sparse` itself.
std::vector<ParameterSpec> method_parameters();

// Returns balanced, fast and quality.
std::vector<Preset> presets();

// Returns the names of the stages that a run opens, outermost first.
std::vector<std::string> stages();

}  // namespace aqbench::sparse
