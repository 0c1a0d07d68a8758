#pragma once
// How precisely cameras can place a point: the Cramer-Rao bound of triangulation through the water.

#include <optional>
#include <span>

#include "scenes/optics/refraction.h"

namespace aqbench {

// Standard deviation of the point's z, metres, for independent Gaussian noise of 1 px on u and v in every
// camera (proportional to the noise); nullopt where fewer than two cameras image the point or their rays are
// parallel. Cameras in whose image the point does not lie do not count.
std::optional<double> depth_bound_m(std::span<const RefractiveCamera> cameras, const Vec3& point_m);

}  // namespace aqbench
