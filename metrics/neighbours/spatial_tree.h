#pragma once
// A tree over points by the cells in which they lie. The children of a node are runs of points or further
// nodes, each in cells of its own. Cells are divided more finely where points are dense, so that a cloud with
// one outlier a million kilometres away, or with a million points in one cell, is divided as well as any
// other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The order of the points, the runs of that order, and the nodes over them.
struct SpatialTree {
  static constexpr std::size_t kChildren = 16;
  // A child with this bit is run (child & ~kRun), any other is a node.
  static constexpr std::uint32_t kRun = 1U << 31U;
  static constexpr std::uint32_t kNone = ~0U;  // a place left over

  std::vector<std::uint32_t> order;  // indices of the measurable points
  // Run r is order[first[r]] to order[first[r + 1] - 1]; there is one more entry than runs.
  std::vector<std::uint32_t> first;
  std::vector<std::array<std::uint32_t, kChildren>> nodes;  // the root first, a node before its children
};

// Makes a tree in which no run has more than `longest` points; five sixths of that are usual up to 16. Points
// that are not measurable are left out; without any point there is no node. Needs 16 bytes a point while it
// runs and 5 after. Throws Error(method) beyond 2^31 - 1 points.
SpatialTree make_spatial_tree(std::span<const Vec3> points_m, std::size_t longest);

}  // namespace aqbench
