#pragma once
// How a NearestNeighbourIndex lies in memory, and the searches in it. `stack` of each has room for kWidth
// children a level and one more.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

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

// Writes to out_m[i] the distance from queries_m[i] to the nearest point.
void find_distances(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, double* out_m,
                    Pending* stack);
void find_distances(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, double* out_m,
                    Pending* stack);

// Writes to out[i] the slot of the point nearest to queries_m[i], of those equally near the one of the
// smallest index.
void find_nearest(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  Pending* stack);
void find_nearest(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  Pending* stack);

// Some blocks in a row.
struct BlockRange {
  std::uint32_t begin, end;
};

// Room for what a search of several points has found so far.
struct Candidates {
  std::size_t count = 0;
  std::vector<double> squared_m2;
  std::vector<std::uint32_t> slots;
};

// Finds the `wanted` points nearest to the query, nearest first; fewer where there are fewer points. Looks at
// the `first` blocks first: the nearer they are the shorter is the search.
void collect_nearest(const IndexedBlocks<double>& blocks, const Vec3& query_m, std::size_t wanted,
                     BlockRange first, Candidates& near, Pending* stack, std::vector<Neighbour>& out);
void collect_nearest(const IndexedBlocks<float>& blocks, const Vec3& query_m, std::size_t wanted,
                     BlockRange first, Candidates& near, Pending* stack, std::vector<Neighbour>& out);

}  // namespace aqbench::blocks
