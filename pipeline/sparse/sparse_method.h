#pragma once
// The method `sparse`: its parameters, presets and run; and parameters that it shares with other methods.

#include <span>
#include <string>
#include <vector>

#include "pipeline/method/method.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::sparse {

// Returns the parameters of the sparse reconstruction; `prefix` stands before every name ("sparse_" for a
// method that makes a sparse cloud on the way).
std::vector<ParameterSpec> parameters(const std::string& prefix = "");

// Returns the options that these parameters set.
Options options_from(const Parameters& parameters, const std::string& prefix = "");

// Returns the presets balanced (the default), fast and quality.
std::vector<Preset> presets();

// Returns the stages that run() opens, outermost first.
std::vector<std::string> stages();

// Returns clahe, clahe_clip_limit and clahe_tiles, the parameters of every method that reads images.
std::vector<ParameterSpec> view_parameters();

// Returns the options that these parameters set.
DatasetViewOptions view_options_from(const Parameters& parameters);

// Runs the method. The cloud has confidences and no normals. Throws Error(method) if no point is found, and
// what read_dataset_views() and reconstruct() throw.
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::sparse
