#pragma once
// The method dense_flow: dense inverse search flow between neighbouring cameras, triangulated by refracted
// rays.

#include <string>
#include <vector>

#include "pipeline/dense_flow/dense_reconstruction.h"
#include "pipeline/method/method.h"

namespace aqbench::dense_flow {

// Of everything after the matching, which methods with another matcher share.
std::vector<ParameterSpec> dense_parameters();
DenseOptions dense_options(const Parameters& parameters);
std::vector<std::string> dense_stages();

std::vector<ParameterSpec> parameters();
std::vector<Preset> presets();
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::dense_flow
