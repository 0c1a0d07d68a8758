#pragma once
// Orders points so that neighbours in space are mostly neighbours in the order: Morton order over boxes that
// are refined where points crowd, so that a cloud with an outlier a million kilometres away, or with a
// million points in one cell, is ordered as finely as any other.

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/core/reconstruction.h"

namespace aqbench {

// A point that can be measured: finite, and below 1e100 m, so that squares and sums of squares are finite.
inline bool is_measurable(const Vec3& point) {
  constexpr double kLimitM = 1e100;
  return std::abs(point.x()) <= kLimitM && std::abs(point.y()) <= kLimitM && std::abs(point.z()) <= kLimitM;
}

// Indices of the measurable points in spatial order. Points that share a run of at most `run` keep their
// given order; beyond that the order depends on positions alone. Throws Error(method) beyond 2^32 - 1 points.
// Needs 16 bytes a point while it runs and 4 after.
std::vector<std::uint32_t> spatial_order(std::span<const Vec3> points_m, std::size_t run);

}  // namespace aqbench
