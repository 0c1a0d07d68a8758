#pragma once
// A protocol for clouds: distances, then the numbers that are published of them.

#include <map>
#include <string>

#include "metrics/protocols/cloud_distances.h"
#include "metrics/protocols/cloud_knobs.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// Computes the numbers from distances by the knobs from `drop_from` on: accuracy_mean, accuracy_median,
// completeness_mean, completeness_median and overall (the mean of the two means), in metres; for each
// threshold precision, recall and f_score as shares.
ProtocolResult summarize_distances(const CloudKnobs& knobs, const CloudDistances& distances);

// Scores a cloud: does measure_distances() and then summarize_distances(). Throws Error(usage) as
// check(knobs) does.
ProtocolResult score_by_protocol(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth);

// Returns the shares of distances below growing limits, from 0 to `stretch` times the threshold in steps of a
// hundredth of it: the curves of Tanks and Temples. Empty without distances.
std::vector<double> share_curve(const std::vector<double>& distances_m, double threshold_m,
                                double stretch = 5);

// Keeps the distances of one cloud against one truth, which it refers to, by the knobs that they depend on.
class DistanceCache {
 public:
  DistanceCache(const PointCloud& cloud, const CloudTruth& truth) : cloud_(cloud), truth_(truth) {}

  // Returns what score_by_protocol() returns, and throws what it throws.
  ProtocolResult score(const CloudKnobs& knobs);

 private:
  const PointCloud& cloud_;
  const CloudTruth& truth_;
  std::map<std::string, CloudDistances> distances_;
};

}  // namespace aqbench
