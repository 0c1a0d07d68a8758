#pragma once
// Visibility of surface places from cameras.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/rendering/ray_hit.h"
#include "scenes/scene.h"

namespace aqbench {

// A camera, its lens, and which pixels of its image count.
struct SeeingCamera {
  RefractiveCamera camera;
  Undistorter lens;
  Intrinsics intrinsics;
  std::shared_ptr<const PixelMask> mask;  // nullptr: all
};

// Returns the cameras of a rig. Throws Error(input) as refractive_camera() does.
std::vector<SeeingCamera> seeing_cameras(const Rig& rig, bool auxiliary_cameras = false);

// Returns where the camera images a position, if that is inside the image that it took and its mask and, if
// `undistorted`, inside the undistorted image, which methods get (pixel centres from 0 to width - 1).
std::optional<Projection> seen_at(const SeeingCamera& camera, const Vec3& position_m,
                                  bool undistorted = true);

// A place of the surface is visible if seen_at() images it and its refracted ray does not meet the surface
// before it. A surface facing away from the ray hides itself.
struct VisibilityOptions {
  bool auxiliary_cameras = false;  // count these, too
  bool undistorted = true;         // also in the undistorted image, not only in the one that was taken
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
