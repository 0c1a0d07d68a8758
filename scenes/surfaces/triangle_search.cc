#include "scenes/surfaces/triangle_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/multiversion.h"

namespace aqbench {
namespace {

constexpr std::size_t kInBlock = TriangleBlock::kTriangles, kInNode = TriangleNode::kChildren;
static_assert(kInBlock == 8 && kInNode == 16);  // one Eight and two
constexpr double kNowhere = std::numeric_limits<double>::infinity();

AQBENCH_INLINE double larger_of(double a, double b) { return a > b ? a : b; }
AQBENCH_INLINE double smaller_of(double a, double b) { return a < b ? a : b; }
AQBENCH_INLINE double unit_clamp(double a) { return smaller_of(larger_of(a, 0.0), 1.0); }

// Squared distances from the box between two corners, or from one point given twice, to the first `count`
// boxes.
template <std::size_t kPlaces>
AQBENCH_INLINE void squared_to_boxes(const double (&low)[3][kPlaces], const double (&high)[3][kPlaces],
                                     std::size_t count, const double (&from)[3], const double (&to)[3],
                                     double (&out)[kPlaces]) {
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = larger_of(larger_of(low[0][i] - to[0], from[0] - high[0][i]), 0.0);
    const double dy = larger_of(larger_of(low[1][i] - to[1], from[1] - high[1][i]), 0.0);
    const double dz = larger_of(larger_of(low[2][i] - to[2], from[2] - high[2][i]), 0.0);
    out[i] = dx * dx + dy * dy + dz * dz;
  }
}

// Squared distances to the triangles of a block: to the foot on the plane where that lies inside, else to the
// nearest edge. Each is the distance to some point of the triangle, so that rounding never makes it shorter.
AQBENCH_INLINE void squared_to_triangles(const TriangleBlock& block, const double (&p)[3],
                                         double (&out)[kInBlock]) {
  for (std::size_t i = 0; i < kInBlock; ++i) {
    const double px = p[0] - block.a[0][i], py = p[1] - block.a[1][i], pz = p[2] - block.a[2][i];
    const double ux = block.u[0][i], uy = block.u[1][i], uz = block.u[2][i];
    const double vx = block.v[0][i], vy = block.v[1][i], vz = block.v[2][i];
    const double uu = ux * ux + uy * uy + uz * uz, uv = ux * vx + uy * vy + uz * vz;
    const double vv = vx * vx + vy * vy + vz * vz;
    const double up = ux * px + uy * py + uz * pz, vp = vx * px + vy * py + vz * pz;
    const double scale = block.per_area[i];
    const double s = (vv * up - uv * vp) * scale, t = (uu * vp - uv * up) * scale;
    const double k1 = unit_clamp(up * block.per_uu[i]), k2 = unit_clamp(vp * block.per_vv[i]);
    const double wx = vx - ux, wy = vy - uy, wz = vz - uz;
    const double k3 = unit_clamp((wx * (px - ux) + wy * (py - uy) + wz * (pz - uz)) * block.per_ww[i]);
    const auto squared = [&](double a, double b) {
      const double x = px - a * ux - b * vx, y = py - a * uy - b * vy, z = pz - a * uz - b * vz;
      return x * x + y * y + z * z;
    };
    const double edges = smaller_of(smaller_of(squared(k1, 0), squared(0, k2)), squared(1 - k3, k3));
    const double inside = smaller_of(smaller_of(s, t), 1 - s - t);
    const double plane = inside >= 0 ? squared(s, t) : kNowhere;
    out[i] = plane < edges ? plane : edges;  // also where a triangle without area has no foot
  }
}

struct PendingChild {
  double squared;
  std::uint32_t child;
};

struct Closest {
  double squared = kNowhere;
  std::uint32_t triangle = ~0U;
};

AQBENCH_INLINE bool take_closer(const TriangleBlock& block, const double (&p)[3], Closest& best) {
  double squared[kInBlock];
  squared_to_triangles(block, p, squared);
  const double least = smallest(eight_at(squared));
  if (!(least <= best.squared)) return false;
  const std::uint32_t before = least < best.squared ? ~0U : best.triangle;
  std::uint32_t first = before;  // of equally far triangles the first one counts
  for (std::uint32_t ties = bits_of(eight_at(squared) <= least); ties != 0; ties &= ties - 1)
    first = std::min(first, block.triangle[std::countr_zero(ties)]);
  best = {least, first};
  return first != before;
}

// What is farther than the best by no more than rounding is visited, too, so that the answer does not depend
// on where the search began.
AQBENCH_INLINE double with_slack(double squared) { return squared * (1 + 1e-12) + 1e-290; }

// What a search walks through, and the memory for it.
struct Walk {
  const TriangleNode* nodes;
  const TriangleBlock* blocks;
  PendingChild* stack;
  std::uint32_t last_block =
      0;  // where the query before ended: a low first bound cuts off most of the search
};

AQBENCH_INLINE Closest closest_to(Walk& walk, const double (&p)[3]) {
  PendingChild* const stack = walk.stack;
  Closest best;
  const std::uint32_t first_block = walk.last_block;
  take_closer(walk.blocks[first_block], p, best);
  double squared[kInNode];
  std::size_t top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const PendingChild next = stack[--top];
    const double bound = with_slack(best.squared);
    if (!(next.squared <= bound)) continue;
    if ((next.child & TriangleNode::kBlock) != 0) {
      const std::uint32_t block = next.child & ~TriangleNode::kBlock;
      if (block != first_block && take_closer(walk.blocks[block], p, best)) walk.last_block = block;
      continue;
    }
    const TriangleNode& node = walk.nodes[next.child];
    squared_to_boxes(node.low, node.high, kInNode, p, p, squared);
    std::uint32_t nearer = bits_of(eight_at(squared) <= bound, eight_at(squared + 8) <= bound);
    const std::size_t first = top;
    for (; nearer != 0; nearer &= nearer - 1) {
      const int i = std::countr_zero(nearer);
      std::size_t place = top++;
      for (; place > first && stack[place - 1].squared < squared[i]; --place) stack[place] = stack[place - 1];
      stack[place] = {squared[i], node.child[i]};
    }
  }
  return best;
}

// ---- Search for points that lie together ----

constexpr std::size_t kGroupMin = 16, kGroupMax = 64, kNearMax = 128, kNearStep = 8;
constexpr std::size_t kAlone = 1024;  // points searched for one by one, where groups are too far apart

// Blocks that hold the closest triangle of every point of a group.
struct NearBlocks {
  double low[3][kNearMax], high[3][kNearMax];
  std::uint32_t block[kNearMax];
  std::size_t count;  // those after it, up to a multiple of kNearStep, are empty boxes
};

// Lists the blocks that are as near to a box of points as the closest triangle of a point in it can be: no
// farther than from the box's centre to its closest triangle and on to a corner. Returns false where they are
// too many.
AQBENCH_INLINE bool list_near_blocks(Walk& walk, const double (&low)[3], const double (&high)[3],
                                     NearBlocks& near) {
  double centre[3], half_squared = 0;
  for (int axis = 0; axis < 3; ++axis) {
    centre[axis] = 0.5 * (low[axis] + high[axis]);
    const double half = larger_of(high[axis] - centre[axis], centre[axis] - low[axis]);
    half_squared += half * half;
  }
  const double reach = std::sqrt(closest_to(walk, centre).squared) + std::sqrt(half_squared);
  const double bound = reach * reach * (1 + 1e-9) + 1e-290;
  double squared[kInNode];
  std::size_t top = 0;
  near.count = 0;
  walk.stack[top++] = {0, 0};
  while (top > 0) {
    const TriangleNode& node = walk.nodes[walk.stack[--top].child];
    squared_to_boxes(node.low, node.high, kInNode, low, high, squared);
    std::uint32_t nearer = bits_of(eight_at(squared) <= bound, eight_at(squared + 8) <= bound);
    for (; nearer != 0; nearer &= nearer - 1) {
      const int i = std::countr_zero(nearer);
      if ((node.child[i] & TriangleNode::kBlock) == 0) {
        walk.stack[top++] = {squared[i], node.child[i]};
        continue;
      }
      if (near.count == kNearMax) return false;
      for (int axis = 0; axis < 3; ++axis) {
        near.low[axis][near.count] = node.low[axis][i];
        near.high[axis][near.count] = node.high[axis][i];
      }
      near.block[near.count++] = node.child[i] & ~TriangleNode::kBlock;
    }
  }
  for (std::size_t i = near.count; i % kNearStep != 0; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      near.low[axis][i] = kNowhere;
      near.high[axis][i] = -kNowhere;
    }
  return true;
}

AQBENCH_INLINE Closest closest_among(Walk& walk, const NearBlocks& near, const double (&p)[3]) {
  double squared[kNearMax];
  const std::size_t count = (near.count + kNearStep - 1) / kNearStep * kNearStep;
  squared_to_boxes(near.low, near.high, count, p, p, squared);
  Closest best;
  const std::uint32_t first = walk.last_block;
  take_closer(walk.blocks[first], p, best);
  static_assert(kNearStep == 8, "eight_at() takes as many");
  for (std::size_t begin = 0; begin < count; begin += kNearStep) {
    const double bound = with_slack(best.squared);
    std::uint32_t nearer = bits_of(eight_at(squared + begin) <= bound);
    for (; nearer != 0; nearer &= nearer - 1) {
      const std::size_t i = begin + static_cast<std::size_t>(std::countr_zero(nearer));
      const std::uint32_t block = near.block[i];
      if (block == first || !(squared[i] <= with_slack(best.squared))) continue;
      if (take_closer(walk.blocks[block], p, best)) walk.last_block = block;
    }
  }
  return best;
}

AQBENCH_MULTIVERSION
void search_all(Walk& walk, const Vec3* points_m, std::size_t count, std::uint32_t* out) {
  NearBlocks near{};
  std::size_t in_group = kGroupMax;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    end = begin + std::min(in_group, count - begin);
    double low[3] = {kNowhere, kNowhere, kNowhere}, high[3] = {-kNowhere, -kNowhere, -kNowhere};
    for (std::size_t q = begin; q < end; ++q)
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = smaller_of(low[axis], points_m[q][axis]);
        high[axis] = larger_of(high[axis], points_m[q][axis]);
      }
    const bool together = list_near_blocks(walk, low, high, near);
    if (!together && in_group == kGroupMin) end = begin + std::min(kAlone, count - begin);
    for (std::size_t q = begin; q < end; ++q) {
      const double p[3] = {points_m[q].x(), points_m[q].y(), points_m[q].z()};
      out[q] = (together ? closest_among(walk, near, p) : closest_to(walk, p)).triangle;
    }
    if (!together) in_group = std::max(in_group / 2, kGroupMin);
    if (together && near.count <= kNearMax / 4) in_group = std::min(in_group * 2, kGroupMax);
  }
}

}  // namespace

void closest_triangles(std::span<const TriangleNode> nodes, std::span<const TriangleBlock> blocks,
                       std::size_t levels, std::span<const Vec3> points_m, std::span<std::uint32_t> out) {
  std::vector<PendingChild> stack(kInNode * levels + 1);
  Walk walk{nodes.data(), blocks.data(), stack.data()};
  search_all(walk, points_m.data(), points_m.size(), out.data());
}

}  // namespace aqbench
