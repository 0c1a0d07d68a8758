#pragma once
// Computes the results of many settings of knobs on one cloud, and measures only once what several settings
// have in common.

#include <map>
#include <string>

#include "metrics/protocols/cloud_protocol.h"

namespace aqbench {

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
