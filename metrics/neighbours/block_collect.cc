#include <algorithm>
#include <bit>
#include <cmath>

#include "core/multiversion.h"
#include "metrics/neighbours/block_search.h"
#include "metrics/neighbours/blocks.h"
#include "metrics/neighbours/spatial_tree.h"

namespace aqbench::blocks {
namespace {

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

AQBENCH_INLINE std::size_t few_more_than(std::size_t wanted) { return wanted + wanted / 4; }

// Lowers the bound until few more than `wanted` candidates lie within it, and drops those beyond. Squared
// distances on a surface are spread evenly, so halving finds such a bound soon.
template <typename Scalar>
AQBENCH_INLINE void tighten(const IndexedBlocks<Scalar>& indices, std::size_t wanted, Candidates& near,
                            double& bound) {
  constexpr int kHalvings = 12;
  const std::size_t few = few_more_than(wanted), lanes = pad(near);
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
    add_block(indices, number, query, bound, near);
    if (near.count >= (bound < kFar ? few_more_than(wanted) + 1 : wanted))
      tighten(indices, wanted, near, bound);
  }
  put_in_order(near, indices.index, out);
  out.resize(std::min(out.size(), wanted));
}

}  // namespace

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
