#pragma once
// How precisely cameras can place a point: the Cramer-Rao bound of triangulation through the water.

#include <optional>
#include <span>

#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// Returns the standard deviation of the point's z, metres, that no unbiased triangulation can beat with
// independent Gaussian noise of 1 px on u and v in every camera (it is proportional to the noise). Only
// cameras in whose image the point lies count. nullopt if they are fewer than two, or their rays are
// parallel.
std::optional<double> depth_bound_m(std::span<const RefractiveCamera> cameras, const Vec3& point_m);

}  // namespace aqbench
