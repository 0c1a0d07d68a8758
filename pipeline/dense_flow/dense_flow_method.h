#pragma once
// The method dense_flow: dense inverse search flow between neighbouring cameras, triangulated by refracted
// rays.

#include "pipeline/dense_flow/dense_reconstruction.h"
#include "pipeline/method/method.h"

namespace aqbench::dense_flow {

// Returns the options set by the parameters of dense_flow_spec.h. Throws Error(usage) like check().
DenseOptions dense_options(const Parameters& parameters);

// Runs the method on a dataset. Throws like read_dataset_views() and reconstruct_densely().
Reconstruction run(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::dense_flow
