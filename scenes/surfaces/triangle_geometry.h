#pragma once
// Points and triangles, in double.

#include <array>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Where on a triangle (a, b, c) a closest point lies.
enum class TrianglePart { face, edge_ab, edge_bc, edge_ca, corner_a, corner_b, corner_c };

struct TrianglePoint {
  Vec3 position_m;
  TrianglePart part;
};

// The closest point of a triangle with an area (Ericson, "Real-Time Collision Detection", 2005, 5.1.5).
TrianglePoint closest_on_triangle(const Vec3& point_m, const std::array<Vec3, 3>& corners_m);

// Area-uniform for t uniform in [0, 1), and near t give near points: t runs along a Sierpinski curve through
// the triangle (halved again and again across its longest edge).
Vec3 point_along_triangle(const std::array<Vec3, 3>& corners_m, double t);

}  // namespace aqbench
