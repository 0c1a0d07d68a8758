#pragma once
// Which cameras see which parts of a surface.

#include <functional>
#include <span>
#include <vector>

#include "scenes/optics/refraction.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/scene.h"

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

// The same for the surface of a scene, which it keeps: what metrics::score_reconstruction() takes as its
// ViewCounter (completeness_seen2_*). Empty for a surface that no ray can be cast at (a mesh). Use:
//   const auto seen = view_counter(scene, read_calibration(dataset / "calibration.json"));
//   score_reconstruction(reconstruction, *scene.truth.surface, options, seen);
// Cases without a rig pass none, and have no such metrics.
std::function<std::vector<int>(std::span<const Vec3> positions_m)> view_counter(const Scene& scene,
                                                                                const Rig& rig);

}  // namespace aqbench
