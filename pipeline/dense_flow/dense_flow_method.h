#pragma once
// The method dense_flow: dense inverse search flow between neighbouring cameras, triangulated by refracted
// rays.

#include <string>
#include <vector>

#include "pipeline/dense_flow/dense_reconstruction.h"
#include "pipeline/method/method.h"

namespace aqbench::dense_flow {

// Return the parameters, options and stages of everything after the matching, which methods with another
// matcher share.
std::vector<ParameterSpec> dense_parameters();
DenseOptions dense_options(const Parameters& parameters);
std::vector<std::string> dense_stages();

// Returns the parameters of dense_flow.
std::vector<ParameterSpec> parameters();
// Returns its presets.
std::vector<Preset> presets();
// Runs it on a dataset. Throws as read_dataset_views() and reconstruct_densely() do.
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::dense_flow
