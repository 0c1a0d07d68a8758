#pragma once
// Which points and vectors can be measured.

#include <cmath>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns whether all coordinates are finite and at most 1e100, so that squares and sums of squares are
// finite.
inline bool is_measurable(const Vec3& point) {
  constexpr double kLimitM = 1e100;
  return std::abs(point.x()) <= kLimitM && std::abs(point.y()) <= kLimitM && std::abs(point.z()) <= kLimitM;
}

}  // namespace aqbench
