#pragma once
// The accuracy of ETH3D: points are compared with the laser beams of scans. Schoeps et al., "A multi-view
// stereo benchmark with high-resolution images and multi-camera videos", CVPR 2017; the reference program is
// github.com/ETH3D/multi-view-evaluation, src/accuracy.cc.

#include <span>
#include <vector>

#include "metrics/protocols/cloud_truth.h"

namespace aqbench {

// The shape of a laser beam: a cone.
struct Beam {
  double radius_m = 0.001125;  // at the scanner
  double halfangle_deg = 0.011;
};

// What the beams of all scans say of each point.
struct BeamFindings {
  // Distance to the nearest scan point whose beam the point lies in; infinite if it lies in none.
  std::vector<double> distance_m;
  // Whether it lies in a beam, nearer to the scanner than what the beam hit: then it is wrong at every
  // tolerance below distance_m. A point that lies in no beam, or only behind what beams hit, is unobserved.
  std::vector<bool> seen_through;
};

// Classifies points (world frame, finite) by every beam of every scan. With `single` all is computed in 32
// bits, as the reference program does. Scan points at the scanner itself have no beam. Uses parallel_for.
BeamFindings compare_with_beams(std::span<const Vec3> points_m, std::span<const BeamScan> scans,
                                const Beam& beam, bool single);

}  // namespace aqbench
