#pragma once
// The parameters, presets and stages of the methods `dense_flow` and `torchscript`. Part of the program, not
// of a module.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench::dense_flow {

// Returns the parameters of all steps after matching, shared by methods with another matcher.
std::vector<ParameterSpec> dense_parameters();

// Returns the stages of a method that turns matches into depths like dense_flow, outermost first.
std::vector<std::string> dense_stages();

// Returns the parameters and presets (balanced, fast, quality) of dense_flow.
std::vector<ParameterSpec> parameters();
std::vector<Preset> presets();

// Returns the parameters and stages of torchscript.
std::vector<ParameterSpec> torchscript_parameters();
std::vector<std::string> torchscript_stages();

}  // namespace aqbench::dense_flow
