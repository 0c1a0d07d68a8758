#pragma once
// The points that one camera saw: what fusion starts from.

#include <Eigen/Core>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/refraction.h"

namespace aqbench {

// Points that one camera saw, in the world frame, metres.
struct CameraPoints {
  Vec3 centre_m = Vec3::Zero();  // of the camera
  std::vector<Eigen::Vector3f> points_m;
  std::vector<float> confidence;  // empty (then all are 1) or one for each point
};

// Returns the points of a depth map that has the camera's size. A map without confidences counts as 1
// everywhere. Throws Error(input) naming the map's camera if the sizes differ.
CameraPoints points_of_depth_map(const RefractiveCamera& camera, const DepthMap& map);

}  // namespace aqbench
