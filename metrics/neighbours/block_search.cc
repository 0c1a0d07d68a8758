#include "metrics/neighbours/block_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/multiversion.h"
#include "metrics/neighbours/spatial_tree.h"

namespace aqbench::blocks {
namespace {

// A distance beyond all others: that of places that hold nothing, and of the best point before one is found.
constexpr double kFar = std::numeric_limits<double>::infinity();

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

// Sets what follows the candidates to infinity and returns how many numbers are then whole lanes of eight.
AQBENCH_INLINE std::size_t pad(Candidates& near) {
  const std::size_t lanes = (near.count + 7) / 8 * 8;
  for (std::size_t i = near.count; i < lanes; ++i) near.squared_m2[i] = kFar;
  return lanes;
}

// Puts the candidates in order. Of few, each one's place is the number of those that are nearer.
AQBENCH_INLINE void put_in_order(Candidates& near, const std::uint32_t* index, std::vector<Neighbour>& out) {
  constexpr std::size_t kFew = 64;
  const std::size_t count = near.count, lanes = pad(near);
  const double* const squared_m2 = near.squared_m2.data();
  out.resize(count);
  std::size_t placed = 0;
  for (; placed < count && count <= kFew; ++placed) {
    EightMasks nearer{}, as_near{};
    for (std::size_t i = 0; i < lanes; i += 8) {
      nearer -= eight_at(squared_m2 + i) < squared_m2[placed];
      as_near -= eight_at(squared_m2 + i) == squared_m2[placed];
    }
    if (sum_of(as_near) != 1) break;
    out[static_cast<std::size_t>(sum_of(nearer))] = {squared_m2[placed], index[near.slots[placed]],
                                                     near.slots[placed]};
  }
  if (placed == count) return;
  for (std::size_t i = 0; i < count; ++i) out[i] = {squared_m2[i], index[near.slots[i]], near.slots[i]};
  std::sort(out.begin(), out.end());
}

// Keeps the `wanted` nearest of candidates, of those equally far the ones of the smallest indices.
AQBENCH_INLINE void keep_nearest(const std::uint32_t* index, std::size_t wanted, Candidates& near,
                                 double& bound) {
  std::vector<Neighbour> nearest;
  put_in_order(near, index, nearest);
  near.count = wanted;
  for (std::size_t i = 0; i < wanted; ++i) {
    near.squared_m2[i] = nearest[i].squared_m2;
    near.slots[i] = nearest[i].slot;
  }
  bound = nearest[wanted - 1].squared_m2;
}

// Lowers the bound until few more than `wanted` candidates lie within it, and drops those beyond. Squared
// distances on a surface are spread evenly, so halving finds such a bound soon.
template <typename Scalar>
AQBENCH_INLINE void tighten(const IndexedBlocks<Scalar>& indices, std::size_t wanted, Candidates& near,
                            double& bound) {
  constexpr int kHalvings = 12;
  const std::size_t few = wanted + wanted / 4, lanes = pad(near);
  const double* const squared_m2 = near.squared_m2.data();
  double low = 0, high = bound;
  if (high == kFar) {
    high = 0;
    for (std::size_t i = 0; i < near.count; ++i) high = larger(high, squared_m2[i]);
  }
  std::size_t within = near.count;
  for (int halving = 0; halving < kHalvings && within > few; ++halving) {
    const double limit = low + (high - low) / 2;
    EightMasks counts{};
    for (std::size_t i = 0; i < lanes; i += 8) counts -= eight_at(squared_m2 + i) <= limit;
    const auto found = static_cast<std::size_t>(sum_of(counts));
    if (found < wanted) {
      low = limit;
    } else {
      high = limit;
      within = found;
    }
  }
  bound = high;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < near.count; ++i) {  // branch-free: which ones stay is unpredictable
    near.squared_m2[kept] = near.squared_m2[i];
    near.slots[kept] = near.slots[i];
    kept += near.squared_m2[i] <= bound ? 1 : 0;
  }
  near.count = kept;
  if (kept > few + 4 * kWidth) keep_nearest(indices.index, wanted, near, bound);  // many at one distance
}

// Takes in the points of a block that are not beyond the bound.
template <typename Scalar>
AQBENCH_INLINE void add_block(const IndexedBlocks<Scalar>& indices, std::uint32_t number,
                              const double (&query)[3], double bound, Candidates& near) {
  double squared[kWidth];
  for (std::size_t i = 0; i < kWidth; ++i) squared[i] = squared_to_point(indices.blocks[number], i, query);
  if (near.squared_m2.size() < near.count + 2 * kWidth) {  // with room for pad()
    near.squared_m2.resize(2 * near.count + 4 * kWidth);
    near.slots.resize(near.squared_m2.size());
  }
  const std::uint32_t first = number * static_cast<std::uint32_t>(kWidth);
  for (std::uint32_t bits = bits_of(eight_at(squared) <= bound, eight_at(squared + 8) <= bound); bits != 0;
       bits &= bits - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(bits));
    near.squared_m2[near.count] = squared[i];
    near.slots[near.count] = first + i;
    near.count += indices.index[first + i] != kNoPoint ? 1 : 0;
  }
}

// The first blocks may be any: if they are near, the bound that they give cuts off most of the search.
template <typename Scalar>
AQBENCH_INLINE void collect_all(const IndexedBlocks<Scalar>& indices, const Vec3& query_m, std::size_t wanted,
                                BlockRange first, Candidates& near, Pending* stack,
                                std::vector<Neighbour>& out) {
  const double query[3] = {query_m.x(), query_m.y(), query_m.z()};
  double squared[kWidth], bound = kFar;
  near.count = 0;
  for (std::uint32_t number = first.begin; number < first.end; ++number)
    add_block(indices, number, query, bound, near);
  if (near.count >= wanted) tighten(indices, wanted, near, bound);
  int top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const Pending next = stack[--top];
    if (!(next.squared <= bound)) continue;
    if ((next.child & SpatialTree::kRun) == 0) {
      squared_to_boxes(indices.nodes[next.child], query, squared);
      top = push_children(indices.nodes[next.child], squared, std::nextafter(bound, kFar), stack, top);
      continue;
    }
    const std::uint32_t number = next.child & ~SpatialTree::kRun;
    if (number >= first.begin && number < first.end) continue;
    const std::size_t before = near.count;
    add_block(indices, number, query, bound, near);
    if (near.count > before && near.count >= wanted) tighten(indices, wanted, near, bound);
  }
  put_in_order(near, indices.index, out);
  out.resize(std::min(out.size(), wanted));
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

AQBENCH_MULTIVERSION
void collect_nearest(const IndexedBlocks<double>& blocks, const Vec3& query_m, std::size_t wanted,
                     BlockRange first, Candidates& near, Pending* stack, std::vector<Neighbour>& out) {
  collect_all(blocks, query_m, wanted, first, near, stack, out);
}
AQBENCH_MULTIVERSION
void collect_nearest(const IndexedBlocks<float>& blocks, const Vec3& query_m, std::size_t wanted,
                     BlockRange first, Candidates& near, Pending* stack, std::vector<Neighbour>& out) {
  collect_all(blocks, query_m, wanted, first, near, stack, out);
}

}  // namespace aqbench::blocks
