#pragma once
// The method `sparse`: its run.

#include <string>

#include "pipeline/method/method.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::sparse {

// Returns the options set by the parameters of sparse_spec.h with this `prefix`.
Options options_from(const Parameters& parameters, const std::string& prefix = "");

// Returns the view options set by clahe, clahe_clip_limit and clahe_tiles.
DatasetViewOptions view_options_from(const Parameters& parameters);

// Runs the method. The cloud has confidences and no normals. Throws Error(method) if no point is found, and
// the errors of read_dataset_views() and reconstruct().
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::sparse
