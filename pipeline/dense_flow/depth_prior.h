#pragma once
// Roughly right depths of each view, from which dense matching starts.

#include <span>
#include <vector>

#include "pipeline/views/dataset_views.h"

namespace aqbench::dense_flow {

// Returns for each view its depths [y][x], empty for an auxiliary one: under level water those of the plane
// on which the images agree best (plane_search.h), without water those between the sparse points that the
// view sees, in inverse depth, and where it is sure those of a coarse plane sweep. Throws Error(method)
// "STAGE: ..." if there is no such plane or no such point.
std::vector<std::vector<float>> depth_priors(std::span<const DatasetView> views);

}  // namespace aqbench::dense_flow
