#pragma once
// How a NearestNeighbourIndex lies in memory.

#include <cstddef>
#include <cstdint>

namespace aqbench::blocks {

// The number of points in a block, and of children of a node.
inline constexpr std::size_t kWidth = 16;

// Points of one block; unused places are at infinity. Place i of block b is slot b * kWidth + i. Scalar is
// float where all coordinates of the cloud are floats, as those of most files are, else double: it halves the
// memory and changes no bit, since all is computed in double precision.
template <typename Scalar>
struct alignas(64) Block {
  Scalar x[kWidth], y[kWidth], z[kWidth];
};

// The boxes of a node's children, and which children they are (as in SpatialTree, with blocks for runs).
// Unused boxes are empty (low = infinity, high = -infinity).
struct alignas(64) Node {
  double low_x[kWidth], low_y[kWidth], low_z[kWidth], high_x[kWidth], high_y[kWidth], high_z[kWidth];
  std::uint32_t child[kWidth];
};

// A point, the slot that holds it, and its squared distance from a query.
struct Neighbour {
  double squared_m2;
  std::uint32_t index, slot;

  // Compares by the distance, then by the index.
  bool operator<(const Neighbour& other) const {
    return squared_m2 != other.squared_m2 ? squared_m2 < other.squared_m2 : index < other.index;
  }
};

}  // namespace aqbench::blocks
