#pragma once
// Points and triangles in double precision: the closest point of one, and which triangle of a mesh is
// closest, by a tree of triangles and a search in it, where many points that lie together share one walk down
// the tree.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// Triangles a + s u + t v in metres, with 1 / |u x v|^2, 1 / |u|^2, 1 / |v|^2 and 1 / |v - u|^2; places left
// over repeat the last triangle.
struct alignas(64) TriangleBlock {
  static constexpr std::size_t kTriangles = 8;

  double a[3][kTriangles], u[3][kTriangles], v[3][kTriangles];
  double per_area[kTriangles], per_uu[kTriangles], per_vv[kTriangles], per_ww[kTriangles];
  std::uint32_t triangle[kTriangles];  // its number in the mesh
};

// The boxes of a node's children in metres, and which children they are; unused boxes are empty.
struct alignas(64) TriangleNode {
  static constexpr std::size_t kChildren = 16;
  // A child with this bit is block (child & ~kBlock), any other is a node.
  static constexpr std::uint32_t kBlock = 1U << 31U;

  double low[3][kChildren], high[3][kChildren];
  std::uint32_t child[kChildren];
};

// Writes the number of the triangle that is closest to each point, of those equally near the smallest one.
// The first node is the root, and no path has more than `levels` nodes. Runs on the calling thread.
void closest_triangles(std::span<const TriangleNode> nodes, std::span<const TriangleBlock> blocks,
                       std::size_t levels, std::span<const Vec3> points_m, std::span<std::uint32_t> out);

// A copy of triangles in blocks of neighbouring ones, under a tree of boxes. Takes about 150 bytes a
// triangle. Immutable and safe to use from several threads after construction.
class TriangleTree {
 public:
  // Builds the tree over at least one triangle that has an area, fewer than 2^31 of them.
  TriangleTree(std::span<const Vec3> vertices_m, std::span<const std::array<std::uint32_t, 3>> triangles);

  // Writes the index of the triangle that is closest to each point, of those equally near the smallest one.
  // Distances are compared as doubles; of a triangle whose height is less than 1e-8 of its length another one
  // that is farther by a rounding error of its length may be named. Points must be finite. Fastest if
  // consecutive points are near each other. Runs on the calling thread.
  void closest(std::span<const Vec3> points_m, std::span<std::uint32_t> out) const;

 private:
  std::vector<TriangleBlock> blocks_;
  std::vector<TriangleNode> nodes_;  // the root first
  std::size_t levels_ = 0;
};

}  // namespace aqbench
