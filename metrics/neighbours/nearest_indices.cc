#include "metrics/neighbours/nearest_indices.h"

#include <algorithm>
#include <cmath>

namespace aqbench {
namespace {

using block_search::Block;
using block_search::kFar;
using block_search::kWidth;
using block_search::Node;
using block_search::Pending;
using block_search::push_children;
using block_search::squared_to_boxes;
using block_search::squared_to_point;
using block_search::squared_to_points;

// Returns the slot of the point of a block that is `squared` away from the query, of several the one of the
// smallest index.
template <typename Scalar>
AQBENCH_INLINE std::uint32_t slot_at(const IndexedBlocks<Scalar>& indices, std::uint32_t number,
                                     const double (&query)[3], double squared) {
  const Block<Scalar>& block = indices.blocks[number];
  const std::uint32_t first = number * static_cast<std::uint32_t>(kWidth);
  std::uint32_t smallest = kNoPoint, slot = first;
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    if (squared_to_point(block, i, query) != squared || indices.index[first + i] >= smallest) continue;
    smallest = indices.index[first + i];
    slot = first + i;
  }
  return slot;
}

// Finds the nearest points of queries in order. Visits also what is only as near as the best so far, so that
// the answer does not depend on where the search began.
template <typename Scalar>
AQBENCH_INLINE void find_all(const IndexedBlocks<Scalar>& indices, const Vec3* queries_m, std::size_t count,
                             std::uint32_t* out, Pending* stack) {
  const Node* const nodes = indices.nodes;
  const Block<Scalar>* const blocks = indices.blocks;
  std::uint32_t nearest_block = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const double query[3] = {queries_m[q].x(), queries_m[q].y(), queries_m[q].z()};
    double squared[kWidth];
    double best = squared_to_points(blocks[nearest_block], query);
    std::uint32_t slot = slot_at(indices, nearest_block, query, best);
    int top = 0;
    stack[top++] = {0, 0};
    while (top > 0) {
      const Pending next = stack[--top];
      if (!(next.squared <= best)) continue;
      if ((next.child & SpatialTree::kRun) == 0) {
        squared_to_boxes(nodes[next.child], query, squared);
        top = push_children(nodes[next.child], squared, std::nextafter(best, kFar), stack, top);
        continue;
      }
      const std::uint32_t block = next.child & ~SpatialTree::kRun;
      const double found = squared_to_points(blocks[block], query);
      if (!(found <= best)) continue;
      const std::uint32_t there = slot_at(indices, block, query, found);
      if (found < best || indices.index[there] < indices.index[slot]) slot = there;
      nearest_block = block;
      best = found;
    }
    out[q] = slot;
  }
}

using Neighbour = blocks::Neighbour;

// Keeps the `wanted` nearest in a heap whose top is the farthest of them.
AQBENCH_INLINE void keep_nearest(std::vector<Neighbour>& heap, std::size_t wanted,
                                 const Neighbour& candidate) {
  if (heap.size() < wanted) {
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
  } else if (candidate < heap.front()) {
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = candidate;
    std::push_heap(heap.begin(), heap.end());
  }
}

template <typename Scalar>
AQBENCH_INLINE void collect_all(const IndexedBlocks<Scalar>& indices, const Vec3& query_m, std::size_t wanted,
                                std::vector<Neighbour>& heap, Pending* stack) {
  const Node* const nodes = indices.nodes;
  const Block<Scalar>* const blocks = indices.blocks;
  const double query[3] = {query_m.x(), query_m.y(), query_m.z()};
  double squared[kWidth];
  int top = 0;
  stack[top++] = {0, 0};
  const auto farthest = [&] { return heap.size() < wanted ? kFar : heap.front().squared_m2; };
  while (top > 0) {
    const Pending next = stack[--top];
    if (!(next.squared <= farthest())) continue;
    if ((next.child & SpatialTree::kRun) == 0) {
      squared_to_boxes(nodes[next.child], query, squared);
      top = push_children(nodes[next.child], squared, std::nextafter(farthest(), kFar), stack, top);
      continue;
    }
    const std::uint32_t number = next.child & ~SpatialTree::kRun;
    const Block<Scalar>& block = blocks[number];
    const std::uint32_t first = number * static_cast<std::uint32_t>(kWidth);
    for (std::uint32_t i = 0; i < kWidth && indices.index[first + i] != kNoPoint; ++i)
      keep_nearest(heap, wanted, {squared_to_point(block, i, query), indices.index[first + i], first + i});
  }
}

}  // namespace

AQBENCH_MULTIVERSION
void find_nearest(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  block_search::Pending* stack) {
  find_all(blocks, queries_m.data(), queries_m.size(), out, stack);
}
AQBENCH_MULTIVERSION
void find_nearest(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  block_search::Pending* stack) {
  find_all(blocks, queries_m.data(), queries_m.size(), out, stack);
}

AQBENCH_MULTIVERSION
void collect_nearest(const IndexedBlocks<double>& blocks, const Vec3& query_m, std::size_t wanted,
                     std::vector<blocks::Neighbour>& heap, block_search::Pending* stack) {
  collect_all(blocks, query_m, wanted, heap, stack);
}
AQBENCH_MULTIVERSION
void collect_nearest(const IndexedBlocks<float>& blocks, const Vec3& query_m, std::size_t wanted,
                     std::vector<blocks::Neighbour>& heap, block_search::Pending* stack) {
  collect_all(blocks, query_m, wanted, heap, stack);
}

}  // namespace aqbench
