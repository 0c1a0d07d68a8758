#pragma once
// Thins a cloud so that no two of its points are near each other, as DTU's evaluation does.

#include <cstdint>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Looks at the points in a random order and keeps each that is not within `radius_m` (inclusive) of one kept
// before. The order follows from the seed and the coordinates, not from the order given. Points must be
// finite.
std::vector<Vec3> thin_points(std::vector<Vec3> points_m, double radius_m, std::uint64_t seed);

}  // namespace aqbench
