#pragma once
// What the searches of a NearestNeighbourIndex share: distances to a node's boxes and to a block's points.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/multiversion.h"
#include "metrics/neighbours/blocks.h"
#include "metrics/neighbours/spatial_tree.h"

namespace aqbench::block_search {

using blocks::Block;
using blocks::kWidth;
using blocks::Node;
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

static_assert(kWidth == 16);  // two Eight

// Returns the squared distances from the query to the points: of each two places (0 and 8, 1 and 9 ...) the
// smaller one.
template <typename Scalar>
AQBENCH_INLINE Eight squared_to_pairs(const Block<Scalar>& block, const double (&query)[3]) {
  double squared[kWidth];
  for (std::size_t i = 0; i < kWidth; ++i) squared[i] = squared_to_point(block, i, query);
  return smaller_of_eight(eight_at(squared), eight_at(squared + 8));
}

// Returns the least squared distance from the query to the points.
template <typename Scalar>
AQBENCH_INLINE double squared_to_points(const Block<Scalar>& block, const double (&query)[3]) {
  return smallest(squared_to_pairs(block, query));
}

// A child that is still to be visited, and its squared distance.
struct Pending {
  double squared;
  std::uint32_t child;  // as in Node
};

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

}  // namespace aqbench::block_search
