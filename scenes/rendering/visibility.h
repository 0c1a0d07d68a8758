#pragma once
// Which cameras see which places of a surface.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scenes/optics/distortion.h"
#include "scenes/optics/refraction.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/scene.h"

namespace aqbench {

// A camera through the water, and its lens.
struct SeeingCamera {
  RefractiveCamera camera;
  Undistorter lens;
};

// Returns the cameras of a rig. Throws Error(input) as refractive_camera() does.
std::vector<SeeingCamera> seeing_cameras(const Rig& rig, bool auxiliary_cameras = false);

// Returns where the camera images a position, if that is inside the image that it took and, if `undistorted`,
// inside the undistorted image, which methods get (pixel centres from 0 to width - 1).
std::optional<Projection> seen_at(const SeeingCamera& camera, const Vec3& position_m,
                                  bool undistorted = true);

// When a place of the surface counts as seen: seen_at() says so, and its refracted ray does not meet the
// surface before it. A surface that is turned away from the ray hides itself.
struct VisibilityOptions {
  bool auxiliary_cameras = false;  // count these, too
  bool undistorted = true;         // the undistorted image must show it as well as the camera's own
  // The ray meets an obstacle if that is more than this before the place; what is nearer is the place itself.
  double tolerance_m = 1e-6;
};

// Counts for each position on the surface the cameras that see it. Uses parallel_for; results do not depend
// on the thread count. Throws Error(input) as refractive_camera() does.
std::vector<int> count_views(const Surface& surface, const Rig& rig, std::span<const Vec3> positions_m,
                             const VisibilityOptions& options = {});

// Returns a function that counts views on the surface of this scene, which it keeps: metrics take it as
// ViewCounter (metrics/score.h) for completeness_seen2_*. Returns an empty function for a scene without a
// surface, or with one that no ray can be cast at (casts_rays()). Use:
//   const auto seen = view_counter(scene, read_calibration(dataset / "calibration.json"));
//   score_reconstruction(reconstruction, *scene.truth.surface, options, seen);
// Cases without a rig have no such function, and no such metrics.
std::function<std::vector<int>(std::span<const Vec3> positions_m)> view_counter(const Scene& scene,
                                                                                const Rig& rig);

}  // namespace aqbench
