#pragma once
// Normals of fused points, distances to their neighbours, and outliers by these distances.

#include <vector>

#include "pipeline/fusion/fusion_options.h"
#include "pipeline/fusion/surfels.h"

namespace aqbench {

// Statistics of each point's neighbourhood.
struct NeighbourStatistics {
  std::vector<Eigen::Vector3f> normals;  // unit, towards the cameras; NaN where undefined
  std::vector<float> mean_distance_m;    // to the nearest outlier_neighbours others
};

// Computes the statistics. `scale_m` is the unit of the radii: the voxel or, if larger, the spacing of the
// points. The search ends about 16 scales away; farther and missing neighbours count as that far. Uses
// parallel_for.
NeighbourStatistics neighbour_statistics(const Surfels& surfels, const FusionOptions& options,
                                         double scale_m);

// Returns which points stay, by FusionOptions::outlier_neighbours and outlier_std. All stay if there are no
// more points than neighbours.
std::vector<bool> inliers(const std::vector<float>& mean_distance_m, const FusionOptions& options);

}  // namespace aqbench
