#pragma once
// Ray casting in water at a surface by formula or a mesh.

#include <optional>
#include <span>
#include <string>

#include "scenes/optics/refractive_camera.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The length of rays: nothing is visible through more water.
inline constexpr double kMaxRayDepth_m = 100;

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

  // Returns whether the surface is a mesh, for which many rays at once are much faster.
  bool is_mesh() const { return mesh_ != nullptr; }

  // first_hit_m() for many rays at a mesh; also returns the normals of the faces.
  void first_faces(std::span<const WaterRay> rays, std::span<FaceHit> hits) const;

 private:
  bool meets_once(const WaterRay& ray) const;
  std::optional<double> newton_hit_m(const WaterRay& ray, double guess_m) const;
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

}  // namespace aqbench
