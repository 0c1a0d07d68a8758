#pragma once
// How a NearestNeighbourIndex lies in memory, and the steps that all searches in it share, compiled along
// with each (AQBENCH_MULTIVERSION).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/multiversion.h"

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

// The tree of an index, and which points its blocks hold: slot s holds point index[s], or none where that is
// kNoPoint. Distances need no `index`.
template <typename Scalar>
struct IndexedBlocks {
  const Node* nodes;
  const Block<Scalar>* blocks;
  const std::uint32_t* index = nullptr;
};

// The index of a slot that holds no point.
inline constexpr std::uint32_t kNoPoint = ~0U;

// A child that is still to be visited, and its squared distance.
struct Pending {
  double squared;
  std::uint32_t child;  // as in Node
};

// A distance beyond all others: that of places that hold nothing, and of the best point before one is found.
inline constexpr double kFar = std::numeric_limits<double>::infinity();

// Return the larger and the smaller of two numbers.
AQBENCH_INLINE double larger(double a, double b) { return a > b ? a : b; }
AQBENCH_INLINE double smaller(double a, double b) { return a < b ? a : b; }

// Writes the squared distances from the query to the boxes. The sums are formed as squared_to_points forms
// them, so that a box of one place is exactly as far as the points in it and equal points are never visited
// twice.
AQBENCH_INLINE void squared_to_boxes(const Node& node, const double (&query)[3], double (&out)[kWidth]) {
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double dx = larger(larger(node.low_x[i] - query[0], query[0] - node.high_x[i]), 0.0);
    const double dy = larger(larger(node.low_y[i] - query[1], query[1] - node.high_y[i]), 0.0);
    const double dz = larger(larger(node.low_z[i] - query[2], query[2] - node.high_z[i]), 0.0);
    out[i] = dx * dx + dy * dy + dz * dz;
  }
}

// Returns the squared distance from the query to a point of a block.
template <typename Scalar>
AQBENCH_INLINE double squared_to_point(const Block<Scalar>& block, std::size_t i, const double (&query)[3]) {
  const double dx = double{block.x[i]} - query[0], dy = double{block.y[i]} - query[1],
               dz = double{block.z[i]} - query[2];
  return dx * dx + dy * dy + dz * dz;
}

// Puts the children that are nearer than `best` on the stack, the nearest last, and returns the new number of
// entries.
AQBENCH_INLINE int push_children(const Node& node, const double (&squared)[kWidth], double best,
                                 Pending* stack, int top) {
  const int first = top;
  // A mask, because branches would be mispredicted.
  std::uint32_t nearer = bits_of(eight_at(squared) < best, eight_at(squared + 8) < best);
  for (; nearer != 0; nearer &= nearer - 1) {
    const int i = std::countr_zero(nearer);
    int place = top++;
    for (; place > first && stack[place - 1].squared < squared[i]; --place) stack[place] = stack[place - 1];
    stack[place] = {squared[i], node.child[i]};
  }
  return top;
}

}  // namespace aqbench::blocks
