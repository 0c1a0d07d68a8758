#pragma once
// Visibility of surface places from cameras.

#include <functional>
#include <span>
#include <vector>

#include "scenes/optics/refraction.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/scene.h"

namespace aqbench {

// A place is visible if the undistorted camera images it inside the image (pixel centres from 0 to width - 1)
// and its refracted ray does not meet the surface before it. A surface facing away from the ray hides itself.
struct VisibilityOptions {
  bool auxiliary_cameras = false;  // count these, too
  // A hit counts as an obstacle if it is more than this before the place.
  double tolerance_m = 1e-6;
};

// Counts the cameras that see each position on the surface. Uses parallel_for; results do not depend on the
// thread count. Throws Error(input) like refractive_camera().
std::vector<int> count_views(const Surface& surface, const Rig& rig, std::span<const Vec3> positions_m,
                             const VisibilityOptions& options = {});

// Returns a function that counts views on the scene's surface, which it keeps: metrics take it as ViewCounter
// (metrics/score.h) for completeness_seen2_*. Empty for a scene without a surface, or if rays cannot be cast
// at it (casts_rays()). Use:
//   const auto seen = view_counter(scene, read_calibration(dataset / "calibration.json"));
//   score_reconstruction(reconstruction, *scene.truth.surface, options, seen);
// Cases without a rig have no such function and no such metrics.
std::function<std::vector<int>(std::span<const Vec3> positions_m)> view_counter(const Scene& scene,
                                                                                const Rig& rig);

}  // namespace aqbench
