#pragma once
// The point closest to several rays.

#include <optional>
#include <span>

#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// The point and its distance from the rays.
struct Triangulation {
  Vec3 point_m;           // world frame; minimises the sum of squared distances to the rays' lines
  double rms_distance_m;  // of the point to the lines
};

// Finds the point closest to the rays. Returns nullopt for fewer than two rays, or rays too parallel to
// determine a point (smallest singular value of sum(I - d d') below 1e-12 of the number of rays: an angle of
// about 1e-6 rad between two).
std::optional<Triangulation> triangulate(std::span<const WaterRay> rays);

}  // namespace aqbench
