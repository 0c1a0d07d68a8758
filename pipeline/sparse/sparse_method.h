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

// A cloud with confidence and without normals. Throws Error(method) if no point was found, and as
// read_dataset_views() and reconstruct() do.
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::sparse
