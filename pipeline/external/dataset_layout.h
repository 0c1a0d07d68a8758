#pragma once
// The dataset of a declared method in the layout that it reads.

#include "pipeline/external/result_files.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the observation itself for a method that reads aqbench's layout. Else writes it in the declared
// layout (scenes/dataset/layout_writer.h) to work_dir/dataset, in place of what is there, and returns that.
// Throws Error(method) for cameras with water unless the declaration ignores refraction, and for a lens or
// name that the layout cannot hold; Error(io).
Observation in_declared_layout(const Observation& observation, const MethodInput& input);

// Returns what the depth maps of a method mean that gets this dataset, and how their files are named.
ResultDepths depths_of(const Observation& observation, const MethodDeclaration& method);

}  // namespace aqbench
