#pragma once
// Finds the horizontal plane on which the images of several cameras agree best: the start of dense matching.

#include <span>

#include "pipeline/views/dataset_views.h"

namespace aqbench::dense_flow {

// The best plane.
struct PlaneSearch {
  double z_m = 0;     // world frame
  double score = 0;   // mean correlation of the windows there, -1 to 1
  double second = 0;  // median over all planes, the level of chance
};

// Finds the plane. Compares up to four references with their two nearest sources, at about 160 px width, on
// planes from 1 cm to 2 m below the water, spaced below one pixel of parallax, and refines by a parabola.
// Throws Error(method) "STAGE: ..." if no plane is clearly better than the others. Uses parallel_for.
PlaneSearch find_mean_plane(std::span<const DatasetView> views);

}  // namespace aqbench::dense_flow
