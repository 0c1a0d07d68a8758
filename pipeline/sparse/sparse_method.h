#pragma once
// The method `sparse`: its parameters, presets and run.

#include <span>
#include <string>
#include <vector>

#include "pipeline/method/method.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::sparse {

// `prefix` stands before every name ("sparse_" for a method that makes a sparse cloud on the way).
std::vector<ParameterSpec> parameters(const std::string& prefix = "");
Options options_from(const Parameters& parameters, const std::string& prefix = "");

std::vector<Preset> presets();
std::vector<std::string> stages();

// clahe, clahe_clip_limit, clahe_tiles: for every method that reads images.
std::vector<ParameterSpec> view_parameters();
DatasetViewOptions view_options_from(const Parameters& parameters);

// A cloud with confidence and without normals. Throws Error(method) if no point was found, and as
// read_dataset_views() and reconstruct() do.
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::sparse
