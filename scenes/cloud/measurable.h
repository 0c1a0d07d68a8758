#pragma once
// Which points and vectors can be measured, and in which order they come.

#include <algorithm>
#include <cmath>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns whether all coordinates are finite and at most 1e100, so that squares and sums of squares are
// finite.
inline bool is_measurable(const Vec3& point) {
  constexpr double kLimitM = 1e100;
  return std::abs(point.x()) <= kLimitM && std::abs(point.y()) <= kLimitM && std::abs(point.z()) <= kLimitM;
}

// Returns whether a comes before b: by x, then by y, then by z.
inline bool comes_before(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

}  // namespace aqbench
