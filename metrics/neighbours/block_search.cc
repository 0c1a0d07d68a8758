#include "metrics/neighbours/block_search.h"

#include <algorithm>
#include <cmath>

#include "core/multiversion.h"
#include "metrics/neighbours/blocks.h"
#include "metrics/neighbours/spatial_tree.h"

namespace aqbench::blocks {
namespace {

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

// The tree, and room for its search: `stack` takes kWidth children on each level.
template <typename Scalar>
struct Search {
  const Node* nodes;
  const Block<Scalar>* blocks;
  Pending* stack;
  std::uint32_t nearest_block = 0;  // of the query before: a low first bound cuts off most of the search
};

// Returns the squared distance from the query to the nearest point.
template <typename Scalar>
AQBENCH_INLINE double search_one(Search<Scalar>& search, const double (&query)[3]) {
  double squared[kWidth];
  double best = squared_to_points(search.blocks[search.nearest_block], query);
  int top = 0;
  search.stack[top++] = {0, 0};
  while (top > 0) {
    const Pending next = search.stack[--top];
    if (!(next.squared < best)) continue;
    if ((next.child & SpatialTree::kRun) == 0) {
      squared_to_boxes(search.nodes[next.child], query, squared);
      top = push_children(search.nodes[next.child], squared, best, search.stack, top);
      continue;
    }
    const std::uint32_t block = next.child & ~SpatialTree::kRun;
    const double found = squared_to_points(search.blocks[block], query);
    if (found < best) {
      best = found;
      search.nearest_block = block;
    }
  }
  return best;
}

// Queries that are searched together, and the most blocks for which that is less work than one by one.
constexpr std::size_t kGroup = 16, kMaxBlocks = 12;

// Writes to `near` every block in which the nearest point of one of the queries can lie and returns how many
// those are; kMaxBlocks + 1 stands for more. All queries lie within `radius_m` of `centre`, so the nearest
// point of each is at most twice that farther from the centre than the centre's own nearest point.
template <typename Scalar>
AQBENCH_INLINE std::size_t blocks_near(Search<Scalar>& search, const double (&centre)[3], double radius_m,
                                       std::uint32_t (&near)[kMaxBlocks + 1]) {
  double squared[kWidth];
  // Far above all rounding: a block too many costs time, one too few would be wrong.
  const double reach_m = (std::sqrt(search_one(search, centre)) + 2 * radius_m) * (1 + 1e-9) + 1e-150;
  const double bound = reach_m * reach_m;
  if (!(bound < kFar)) return kMaxBlocks + 1;
  std::size_t count = 0;
  int top = 0;
  search.stack[top++] = {0, 0};
  while (top > 0) {
    const std::uint32_t child = search.stack[--top].child;
    if ((child & SpatialTree::kRun) == 0) {
      squared_to_boxes(search.nodes[child], centre, squared);
      top = push_children(search.nodes[child], squared, bound, search.stack, top);
      continue;
    }
    near[count++] = child & ~SpatialTree::kRun;
    if (count > kMaxBlocks) break;
  }
  return count;
}

// Sets `centre` to the middle of the queries' box and returns the farthest that a query is from it, in
// metres.
AQBENCH_INLINE double centre_of(const Vec3* queries_m, double (&centre)[3]) {
  double squared_radius = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double low = queries_m[0][axis], high = low;
    for (std::size_t i = 1; i < kGroup; ++i) {
      low = smaller(low, queries_m[i][axis]);
      high = larger(high, queries_m[i][axis]);
    }
    centre[axis] = low + (high - low) / 2;
    const double half = larger(high - centre[axis], centre[axis] - low);
    squared_radius += half * half;
  }
  return std::sqrt(squared_radius);
}

// Computes the distances of the queries in order. Where the cloud is sparse beside the queries, a few blocks
// serve a group of them: each is compared with all of those. Elsewhere the tree is searched for each; the
// groups after one for which that was so are not tried, twice as many each time.
template <typename Scalar>
AQBENCH_INLINE void search_in_groups(const IndexedBlocks<Scalar>& tree, const Vec3* queries_m,
                                     std::size_t count, double* out_m, Pending* stack) {
  const Block<Scalar>* const blocks = tree.blocks;
  Search<Scalar> search{tree.nodes, blocks, stack};
  std::uint32_t near[kMaxBlocks + 1];
  std::size_t untried = 0, pause = 1;
  for (std::size_t i = 0; i < count;) {
    std::size_t found = kMaxBlocks + 1;
    if (untried > 0) {
      --untried;
    } else if (i + kGroup <= count) {
      double centre[3];
      const double radius_m = centre_of(queries_m + i, centre);
      found = blocks_near(search, centre, radius_m, near);
      if (found == 0) found = kMaxBlocks + 1;  // coordinates that are not finite
      pause = found > kMaxBlocks ? std::min<std::size_t>(2 * pause, 64) : 1;
      untried = found > kMaxBlocks ? pause : 0;
    }
    for (const std::size_t end = std::min(i + kGroup, count); i < end; ++i) {
      const double query[3] = {queries_m[i].x(), queries_m[i].y(), queries_m[i].z()};
      double best = kFar;
      if (found > kMaxBlocks) {
        best = search_one(search, query);
      } else {
        Eight least = squared_to_pairs(blocks[near[0]], query);
        for (std::size_t b = 1; b < found; ++b)
          least = smaller_of_eight(squared_to_pairs(blocks[near[b]], query), least);
        best = smallest(least);
      }
      out_m[i] = std::sqrt(best);
    }
  }
}

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

}  // namespace

AQBENCH_MULTIVERSION
void find_distances(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, double* out_m,
                    Pending* stack) {
  search_in_groups(blocks, queries_m.data(), queries_m.size(), out_m, stack);
}
AQBENCH_MULTIVERSION
void find_distances(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, double* out_m,
                    Pending* stack) {
  search_in_groups(blocks, queries_m.data(), queries_m.size(), out_m, stack);
}

AQBENCH_MULTIVERSION
void find_nearest(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  Pending* stack) {
  find_all(blocks, queries_m.data(), queries_m.size(), out, stack);
}
AQBENCH_MULTIVERSION
void find_nearest(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  Pending* stack) {
  find_all(blocks, queries_m.data(), queries_m.size(), out, stack);
}

}  // namespace aqbench::blocks
