#pragma once
// Which cameras see which parts of a surface.

#include <span>
#include <vector>

#include "scenes/optics/refraction.h"
#include "scenes/ray_hit.h"

namespace aqbench {

// A point of the surface is seen if it is imaged inside the image (of the undistorted camera: pixel centres
// from 0 to width - 1) and its refracted ray does not meet the surface earlier. The surface turned away from
// the ray is hidden by itself.
struct VisibilityOptions {
  bool auxiliary_cameras = false;  // count these, too
  // A meeting that much before the point is an obstacle; nearer, it is the point itself.
  double tolerance_m = 1e-6;
};

// How many cameras see each of these positions on the surface; one number each. Uses parallel_for; results do
// not depend on the thread count. Throws Error(input) as refractive_camera() does.
std::vector<int> count_views(const PatchHeightField& surface, const Rig& rig,
                             std::span<const Vec3> positions_m, const VisibilityOptions& options = {});

}  // namespace aqbench
