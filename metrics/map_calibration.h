#pragma once
// The calibration that depth maps were made with, which puts them into the world.

#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// A rig, and the transform from its world frame to the true one. The scale is 1.
struct MapCalibration {
  Rig rig;
  Similarity world_from_rig = {};

  // Returns a point of the rig's frame in the true world frame.
  Vec3 to_world(const Vec3& point_m) const {
    return world_from_rig.linear * point_m + world_from_rig.translation_m;
  }
  // Returns a point of the true world frame in the rig's frame.
  Vec3 from_world(const Vec3& point_m) const {
    return world_from_rig.linear.transpose() * (point_m - world_from_rig.translation_m);
  }
};

}  // namespace aqbench
