#pragma once
// Finds which triangle of a mesh is closest to a point, in double precision.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/triangle_search.h"

namespace aqbench {

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
