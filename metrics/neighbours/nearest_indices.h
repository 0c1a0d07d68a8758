#pragma once
// Which points are nearest, found in the blocks of a NearestNeighbourIndex.

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/neighbours/block_search.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The tree of an index, and which points its blocks hold: slot s holds point index[s], or none where that is
// kNoPoint.
template <typename Scalar>
struct IndexedBlocks {
  const blocks::Node* nodes;
  const blocks::Block<Scalar>* blocks;
  const std::uint32_t* index;
};

// The index of a slot that holds no point.
inline constexpr std::uint32_t kNoPoint = ~0U;

// Writes to out[i] the slot of the point nearest to queries_m[i], of those equally near the one of the
// smallest index. `stack` has room for kWidth children a level and one more.
void find_nearest(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  block_search::Pending* stack);
void find_nearest(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  block_search::Pending* stack);

// Fills a heap, empty at first, with the `wanted` points nearest to the query, the farthest on top. `stack`
// is as in find_nearest().
void collect_nearest(const IndexedBlocks<double>& blocks, const Vec3& query_m, std::size_t wanted,
                     std::vector<blocks::Neighbour>& heap, block_search::Pending* stack);
void collect_nearest(const IndexedBlocks<float>& blocks, const Vec3& query_m, std::size_t wanted,
                     std::vector<blocks::Neighbour>& heap, block_search::Pending* stack);

}  // namespace aqbench
