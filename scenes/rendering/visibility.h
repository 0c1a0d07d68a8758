#pragma once
// Ray casting in water at a surface by formula or a mesh, and visibility of surface places from cameras.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/scene.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The length of rays: nothing is visible through more water.
inline constexpr double kMaxRayDepth_m = 100;

// Rays at a surface by formula go side by side.
inline constexpr std::size_t kRayLanes = 16;

// Intersects rays with one surface, which must outlive this.
class RayHitter {
 public:
  // Prepares the surface. tolerance_m bounds the error of Newton's last step; the default is about rounding.
  // Throws Error(usage) for a surface that is neither a formula nor a mesh.
  explicit RayHitter(const Surface& surface, double max_depth_m = kMaxRayDepth_m, double tolerance_m = 1e-14);

  // Returns the depth along the ray, metres, at which it first meets the surface, exact to rounding (below
  // 1e-9 m wherever the ray is not tangent to the surface to within that). nullopt: they do not meet up to
  // the maximum depth, or the surface lies above the water where the ray enters it.
  std::optional<double> first_hit_m(const WaterRay& ray) const;
  // Does the same faster from `guess_m`, the depth of a neighbouring ray. The result differs by at most the
  // tolerance.
  std::optional<double> first_hit_m(const WaterRay& ray, double guess_m) const;

  // Does the same for many rays, which is much faster. depths_m: the guesses, NaN for none, and then the
  // hits, NaN where there are none. Each hit depends on its own ray and guess alone.
  void first_hits_m(std::span<const WaterRay> rays, std::span<double> depths_m) const;

  bool is_mesh() const { return mesh_ != nullptr; }

  // Finds what many rays at a mesh hit, with the normals of the faces.
  void first_faces(std::span<const WaterRay> rays, std::span<FaceHit> hits) const;

 private:
  bool meets_once(const WaterRay& ray) const;
  void newton_hits_m(std::span<const WaterRay> rays, std::span<double> depths_m) const;
  std::optional<double> marched_hit_m(const WaterRay& ray) const;

  const PatchHeightField* field_;  // one of the two
  const RayTarget* mesh_;
  HeightBounds bounds_;
  double max_depth_m_, tolerance_m_;
};

// Returns whether rays can be cast at the surface: a formula or a mesh.
bool casts_rays(const Surface& surface);

// Returns the surface as one by formula. Throws Error(usage) naming the scene if it is a mesh.
const PatchHeightField& renderable_surface(const Surface& surface, const std::string& scene);

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
