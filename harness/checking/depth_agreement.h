#pragma once
// How well depth maps agree, by the baseline of their cameras. This is no accuracy: depths that are wrong in
// the same way everywhere agree.

#include <cstddef>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Pairs of cameras with baselines of one size.
struct BaselineGroup {
  double least_m = 0, most_m = 0;  // of their baselines
  std::size_t pairs = 0;           // that see a common place
  double reprojection_px = 0;  // median over the pairs of the median shift (harness/scoring/consistency.h)
};

// Returns up to three groups of as many pairs each, the shortest baselines first; none where no two maps
// meet. A shift that grows with the baseline is of wrong depths or poses; one at every baseline is of noise.
// Throws as measure_consistency().
std::vector<BaselineGroup> depth_agreement(std::span<const DepthMap> maps, const Rig& rig);

}  // namespace aqbench
