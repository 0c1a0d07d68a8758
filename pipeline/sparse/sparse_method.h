#pragma once
// The method `sparse`: its run.

#include <span>
#include <string>
#include <vector>

#include "pipeline/method/method.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::sparse {

// Returns the options that the parameters of sparse_spec.h give; `prefix` stands before every name.
Options options_from(const Parameters& parameters, const std::string& prefix = "");

// Returns what clahe, clahe_clip_limit and clahe_tiles say about reading images.
DatasetViewOptions view_options_from(const Parameters& parameters);

// Runs the method. The cloud has confidences and no normals. Throws Error(method) if no point is found, and
// what read_dataset_views() and reconstruct() throw.
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::sparse
