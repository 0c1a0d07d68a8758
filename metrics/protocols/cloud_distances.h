#pragma once
// The first half of a cloud protocol: which points take part, and how far they are from the truth and back.

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/protocols/cloud_knobs.h"
#include "metrics/protocols/cloud_truth.h"

namespace aqbench {

// How many points were left out, and why.
struct CloudCounts {
  std::size_t points = 0, truth_points = 0;              // as given
  std::size_t non_finite = 0;                            // of the cloud
  std::size_t outside_crop = 0, truth_outside_crop = 0;  // of the crop volume
  std::size_t unseen = 0, truth_unseen = 0;              // culled
  std::size_t outside_mask = 0, truth_below_plane = 0;   // of box and mask; of the plane
  std::size_t scored = 0, truth_scored = 0;              // after voxels and thinning
};

// Distances in metres, and where the points are that they belong to.
struct CloudDistances {
  std::vector<Vec3> points_m;          // of the cloud that are scored
  std::vector<double> accuracy_m;      // of points_m from the truth; infinite where no beam hits
  std::vector<bool> seen_through;      // by the rule `beam`: lies in front of what a beam hit; else empty
  std::vector<Vec3> truth_m;           // points of the truth that are scored
  std::vector<double> completeness_m;  // of truth_m from the cloud; empty if the cloud is
  CloudCounts counts;
  std::string accuracy_reason, completeness_reason;  // why there are none; empty where there are
};

// Measures with the knobs that say what is compared (those before `drop_from`, and single_precision). Uses
// parallel_for; the same for any number of threads and any order of the points.
CloudDistances measure_distances(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth);

}  // namespace aqbench
