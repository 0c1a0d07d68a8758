#pragma once
// Points and triangles, in double precision.

#include <array>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The part of a triangle (a, b, c) on which a closest point lies.
enum class TrianglePart { face, edge_ab, edge_bc, edge_ca, corner_a, corner_b, corner_c };

// A point of a triangle and the part on which it lies.
struct TrianglePoint {
  Vec3 position_m;
  TrianglePart part;
};

// Returns the closest point of a triangle that has an area (Ericson, "Real-Time Collision Detection", 2005,
// 5.1.5).
TrianglePoint closest_on_triangle(const Vec3& point_m, const std::array<Vec3, 3>& corners_m);

// Returns the point at t, 0 <= t < 1, of a Sierpinski curve through the triangle (halved again and again
// across its longest edge). Points for uniform t are area-uniform, and near t give near points.
Vec3 point_along_triangle(const std::array<Vec3, 3>& corners_m, double t);

}  // namespace aqbench
