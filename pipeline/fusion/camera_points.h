#pragma once
// The points seen by one camera, the input of fusion.

#include <Eigen/Core>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// Points seen by one camera, in the world frame, metres.
struct CameraPoints {
  Vec3 centre_m = Vec3::Zero();  // of the camera
  std::vector<Eigen::Vector3f> points_m;
  std::vector<float> confidence;  // empty (all are 1) or one per point
};

// Returns the points of a depth map of the camera's size. Without confidences every point has 1. Throws
// Error(input) naming the map's camera if the sizes differ.
CameraPoints points_of_depth_map(const RefractiveCamera& camera, const DepthMap& map);

}  // namespace aqbench
