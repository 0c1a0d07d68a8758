#pragma once
// Normals of fused points and how far each is from its neighbours.

#include <vector>

#include "pipeline/fusion/fusion_options.h"
#include "pipeline/fusion/surfels.h"

namespace aqbench {

struct NeighbourStatistics {
  std::vector<Eigen::Vector3f> normals;  // unit, towards the cameras; NaN where undefined
  std::vector<float> mean_distance_m;    // to the nearest outlier_neighbours others
};

// `scale_m` is the radii's unit: the voxel or, if larger, the points' spacing. The search for neighbours ends
// about 16 scales away: further ones, and those that are missing, count as that far. Uses parallel_for.
NeighbourStatistics neighbour_statistics(const Surfels& surfels, const FusionOptions& options,
                                         double scale_m);

// Which points stay (FusionOptions::outlier_neighbours). All, where there are no more points than neighbours.
std::vector<bool> inliers(const std::vector<float>& mean_distance_m, const FusionOptions& options);

}  // namespace aqbench
