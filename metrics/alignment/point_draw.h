#pragma once
// Some points of a cloud, chosen without regard to their order.

#include <cstddef>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns at most so many of the points that can be measured, all where there are no more, in an order and by
// a choice that look random and that their coordinates alone decide.
std::vector<Vec3> draw_points(std::span<const Vec3> points_m, std::size_t at_most);

}  // namespace aqbench
