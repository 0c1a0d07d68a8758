#pragma once
// The search in a tree of triangles: many points that lie together share one walk down the tree.

#include <cstddef>
#include <cstdint>
#include <span>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

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

}  // namespace aqbench
