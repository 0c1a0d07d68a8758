#pragma once
// What registered rigs are made of.

#include "core/parameters.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Where a camera stands, and the point that it looks at.
struct CameraPlace {
  Vec3 centre_m, target_m;
};

// Returns the rotation of a camera that looks from a point at another. Rows are its x (right), y (down) and z
// (forward) axes in the world frame.
Mat3 looking_at(const Vec3& centre_m, const Vec3& target_m);

// Returns the focal length, px, that the parameters `focal_px` and `width` of a registered rig give.
double rig_focal_px(const Parameters& parameters);

}  // namespace aqbench
