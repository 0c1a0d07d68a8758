#pragma once
// Where a ray in the water meets a surface by formula.

#include <optional>
#include <string>

#include "scenes/optics/refraction.h"
#include "scenes/surfaces/height_field.h"

namespace aqbench {

// Farther hits are misses: nothing is seen through that much water.
inline constexpr double kMaxRayDepth_m = 100;

// Rays against one surface. Keeps a reference to the surface.
class RayHitter {
 public:
  // tolerance_m bounds what Newton's last step leaves; the default is rounding.
  explicit RayHitter(const PatchHeightField& surface, double max_depth_m = kMaxRayDepth_m,
                     double tolerance_m = 1e-14);

  // Depth along the ray, metres, of its first meeting with the surface, to rounding (below 1e-9 m wherever
  // the ray is not tangent to the surface to within that). nullopt: no meeting up to the maximum depth, or
  // the surface lies above the water where the ray enters it.
  // `guess_m` (a neighbour's depth) saves time; the result differs by the tolerance at most.
  std::optional<double> first_hit_m(const WaterRay& ray) const;
  std::optional<double> first_hit_m(const WaterRay& ray, double guess_m) const;

 private:
  bool meets_once(const WaterRay& ray) const;
  std::optional<double> newton_hit_m(const WaterRay& ray, double guess_m) const;
  std::optional<double> marched_hit_m(const WaterRay& ray) const;

  const PatchHeightField& surface_;
  HeightBounds bounds_;
  double max_depth_m_, tolerance_m_;
};

// The surface as one that rays can be cast at. Throws Error(usage) naming the scene: a mesh is none.
const PatchHeightField& renderable_surface(const Surface& surface, const std::string& scene);

}  // namespace aqbench
