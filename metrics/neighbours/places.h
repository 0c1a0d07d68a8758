#pragma once
// Points at one place.

#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns the points that have no earlier one at their place, in their order. Of equally near points an index
// finds the first, so that these alone answer for all, and a search does not go through a million of them.
std::vector<Vec3> first_at_each_place(std::span<const Vec3> points_m);

}  // namespace aqbench
