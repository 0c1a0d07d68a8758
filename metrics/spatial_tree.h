#pragma once
// A tree over points by the cells they lie in: each node's children are runs of points, or nodes, that fill
// cells of their own. Cells are refined where points crowd, so that a cloud with an outlier a million
// kilometres away, or with a million points in one cell, is divided as finely as any other.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

struct SpatialTree {
  static constexpr std::size_t kChildren = 16;
  static constexpr std::uint32_t kRun = 1U
                                        << 31U;  // a child with this bit is run (child & ~kRun), else a node
  static constexpr std::uint32_t kNone = ~0U;    // a place left over

  std::vector<std::uint32_t> order;  // indices of the measurable points
  std::vector<std::uint32_t>
      first;  // run r is order[first[r]] to order[first[r + 1] - 1]; one more than runs
  std::vector<std::array<std::uint32_t, kChildren>> nodes;  // the root first, a node before its children
};

// No run is longer than `longest`; about two thirds of that is usual. Points that are not measurable are left
// out; without any there is no node. Throws Error(method) beyond 2^31 - 1 points. Needs 16 bytes a point
// while it runs and 5 after.
SpatialTree make_spatial_tree(std::span<const Vec3> points_m, std::size_t longest);

}  // namespace aqbench
