#pragma once
// The horizontal plane that the images of several cameras agree on best: where dense matching starts.

#include <span>

#include "pipeline/views/dataset_views.h"

namespace aqbench::dense_flow {

// The plane that was found.
struct PlaneSearch {
  double z_m = 0;     // world frame
  double score = 0;   // mean correlation of the windows there, -1 to 1
  double second = 0;  // the median over all planes: what chance gives
};

// Finds the plane. Compares up to four references with their nearest two sources, at about 160 px width, on
// planes from 1 cm below the water to 2 m, closer than the parallax of a pixel to each other; refined by a
// parabola. Throws Error(method) "STAGE: ..." where no plane is clearly better than the others. Uses
// parallel_for.
PlaneSearch find_mean_plane(std::span<const DatasetView> views);

}  // namespace aqbench::dense_flow
