#pragma once
// How far two clouds of one surface lie apart. This is no accuracy: both may be wrong.

#include <cstddef>
#include <span>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Distances of each point of one cloud to the nearest point of the other, of both directions the larger
// value.
struct CloudDifference {
  double median_m = 0, p95_m = 0;
  std::size_t points_a = 0, points_b = 0;
};

// Compares two clouds in one frame. Throws Error(method) for an empty one.
CloudDifference cloud_difference(std::span<const Vec3> a_m, std::span<const Vec3> b_m);

// Returns the diagonal of the box around the points; 0 without any.
double extent_m(std::span<const Vec3> points_m);

// Returns the median distance of a point to its nearest neighbour, over at most 20 000 points at even steps.
// Throws Error(method) for fewer than 2 points.
double median_spacing_m(std::span<const Vec3> points_m);

}  // namespace aqbench
