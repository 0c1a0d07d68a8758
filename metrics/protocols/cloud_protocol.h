#pragma once
// A protocol for clouds: which points take part and how far they are from the truth and back, then the
// numbers that are published of these distances.

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/protocol_result.h"

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
  std::vector<double> sorted_accuracy_m, sorted_completeness_m;  // the finite ones: sums know no order
  CloudCounts counts;
  std::string accuracy_reason, completeness_reason;  // why there are none; empty where there are
};

// Measures with the knobs that say what is compared (those before `drop_from`, and single_precision). Uses
// parallel_for; the same for any number of threads and any order of the points. Of a mesh the points are
// those of the knob mesh_cloud, in place of the cloud.
CloudDistances measure_distances(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth,
                                 const TriangleMesh* mesh = nullptr);

// Computes the numbers from distances by the knobs from `drop_from` on: accuracy_mean, accuracy_median,
// completeness_mean, completeness_median and overall (the mean of the two means), in metres; for each
// threshold precision, recall and f_score as shares.
ProtocolResult summarize_distances(const CloudKnobs& knobs, const CloudDistances& distances);

// Scores a cloud: does measure_distances() and then summarize_distances(). Throws Error(usage) as
// check(knobs) does.
ProtocolResult score_by_protocol(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth,
                                 const TriangleMesh* mesh = nullptr);

// Returns the shares of distances below growing limits, from 0 to 5 times the threshold in steps of a
// hundredth of it: the curves of Tanks and Temples. Empty without distances.
std::vector<double> share_curve(std::vector<double> distances_m, double threshold_m);

}  // namespace aqbench
