#include "scenes/surfaces/triangle_tree.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "core/multiversion.h"

namespace aqbench {
namespace {

constexpr std::size_t kInBlock = TriangleTree::kTriangles, kInNode = TriangleTree::kChildren;
constexpr double kNowhere = std::numeric_limits<double>::infinity();
using Triangle = std::array<std::uint32_t, 3>;
using TriangleRange = std::pair<std::uint32_t, std::uint32_t>;  // begin and end in the order

struct TriangleBox {
  Vec3 low = Vec3::Constant(kNowhere), high = Vec3::Constant(-kNowhere);

  void extend(const Vec3& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
};

// Splits the triangles by their centres: half of a range on each side of its longest axis.
class TriangleTreeMaker {
 public:
  TriangleTreeMaker(std::span<const Vec3> vertices_m, std::span<const Triangle> triangles,
                    std::vector<TriangleTree::Block>& blocks, std::vector<TriangleTree::Node>& nodes)
      : vertices_m_(vertices_m),
        triangles_(triangles),
        blocks_(blocks),
        nodes_(nodes),
        order_(triangles.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    for (const Triangle& t : triangles)
      centres_.push_back((vertices_m[t[0]] + vertices_m[t[1]] + vertices_m[t[2]]) / 3);
  }

  // Returns the number of levels of nodes.
  std::size_t make() { return add_node({0, static_cast<std::uint32_t>(order_.size())}).second; }

 private:
  static std::size_t length(const TriangleRange& range) { return range.second - range.first; }

  std::uint32_t split(TriangleRange range) {
    TriangleBox box;
    for (std::uint32_t i = range.first; i < range.second; ++i) box.extend(centres_[order_[i]]);
    Eigen::Index axis = 0;
    (box.high - box.low).maxCoeff(&axis);
    const std::size_t blocks = (length(range) + kInBlock - 1) / kInBlock;
    const auto middle = range.first + static_cast<std::uint32_t>(length(range) * (blocks / 2) / blocks);
    std::nth_element(order_.begin() + range.first, order_.begin() + middle, order_.begin() + range.second,
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double left = centres_[a][axis], right = centres_[b][axis];
                       return left != right ? left < right : a < b;
                     });
    return middle;
  }

  // Adds a node and what is below; returns its number and levels.
  std::pair<std::uint32_t, std::size_t> add_node(TriangleRange range) {
    std::vector<TriangleRange> parts = {range};
    while (parts.size() < kInNode) {
      const auto largest = std::ranges::max_element(parts, {}, length);
      if (length(*largest) <= kInBlock) break;
      const std::uint32_t middle = split(*largest);
      const TriangleRange upper{middle, largest->second};
      largest->second = middle;
      parts.push_back(upper);
    }
    std::ranges::sort(parts);
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    std::size_t levels = 1;
    for (std::size_t c = 0; c < kInNode; ++c) {
      TriangleBox box;
      std::uint32_t child = 0;
      if (c < parts.size()) {
        box = box_of(parts[c]);
        if (length(parts[c]) <= kInBlock) {
          child = add_block(parts[c]);
        } else {
          const auto [below, below_levels] = add_node(parts[c]);
          child = below;
          levels = std::max(levels, below_levels + 1);
        }
      }
      TriangleTree::Node& node = nodes_[number];
      node.child[c] = child;
      for (int axis = 0; axis < 3; ++axis) {
        node.low[axis][c] = box.low[axis];
        node.high[axis][c] = box.high[axis];
      }
    }
    return {number, levels};
  }

  TriangleBox box_of(TriangleRange range) const {
    TriangleBox box;
    for (std::uint32_t i = range.first; i < range.second; ++i)
      for (const std::uint32_t vertex : triangles_[order_[i]]) box.extend(vertices_m_[vertex]);
    return box;
  }

  std::uint32_t add_block(TriangleRange range) {
    TriangleTree::Block& block = blocks_.emplace_back();
    for (std::size_t i = 0; i < kInBlock; ++i) {
      const std::uint32_t number = order_[std::min<std::size_t>(range.first + i, range.second - 1)];
      const Triangle& t = triangles_[number];
      const Vec3 a = vertices_m_[t[0]], u = vertices_m_[t[1]] - a, v = vertices_m_[t[2]] - a;
      for (int axis = 0; axis < 3; ++axis) {
        block.a[axis][i] = a[axis];
        block.u[axis][i] = u[axis];
        block.v[axis][i] = v[axis];
      }
      block.triangle[i] = number;
    }
    return TriangleTree::kBlock | static_cast<std::uint32_t>(blocks_.size() - 1);
  }

  std::span<const Vec3> vertices_m_;
  std::span<const Triangle> triangles_;
  std::vector<TriangleTree::Block>& blocks_;
  std::vector<TriangleTree::Node>& nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<Vec3> centres_;
};

// ---- Search ----

AQBENCH_INLINE double larger_of(double a, double b) { return a > b ? a : b; }
AQBENCH_INLINE double smaller_of(double a, double b) { return a < b ? a : b; }
AQBENCH_INLINE double unit_clamp(double a) { return smaller_of(larger_of(a, 0.0), 1.0); }

AQBENCH_INLINE void squared_to_child_boxes(const TriangleTree::Node& node, const double (&p)[3],
                                           double (&out)[kInNode]) {
  for (std::size_t i = 0; i < kInNode; ++i) {
    const double dx = larger_of(larger_of(node.low[0][i] - p[0], p[0] - node.high[0][i]), 0.0);
    const double dy = larger_of(larger_of(node.low[1][i] - p[1], p[1] - node.high[1][i]), 0.0);
    const double dz = larger_of(larger_of(node.low[2][i] - p[2], p[2] - node.high[2][i]), 0.0);
    out[i] = dx * dx + dy * dy + dz * dz;
  }
}

// Squared distances to the triangles of a block: to the foot on the plane where that lies inside, else to the
// nearest edge. Each is the distance to some point of the triangle, so that rounding never makes it shorter.
AQBENCH_INLINE void squared_to_triangles(const TriangleTree::Block& block, const double (&p)[3],
                                         double (&out)[kInBlock]) {
  for (std::size_t i = 0; i < kInBlock; ++i) {
    const double px = p[0] - block.a[0][i], py = p[1] - block.a[1][i], pz = p[2] - block.a[2][i];
    const double ux = block.u[0][i], uy = block.u[1][i], uz = block.u[2][i];
    const double vx = block.v[0][i], vy = block.v[1][i], vz = block.v[2][i];
    const double uu = ux * ux + uy * uy + uz * uz, uv = ux * vx + uy * vy + uz * vz;
    const double vv = vx * vx + vy * vy + vz * vz;
    const double up = ux * px + uy * py + uz * pz, vp = vx * px + vy * py + vz * pz;
    const double scale = 1 / (uu * vv - uv * uv);
    const double s = (vv * up - uv * vp) * scale, t = (uu * vp - uv * up) * scale;
    const double k1 = unit_clamp(up / uu), k2 = unit_clamp(vp / vv);
    const double wx = vx - ux, wy = vy - uy, wz = vz - uz;
    const double k3 = unit_clamp((wx * (px - ux) + wy * (py - uy) + wz * (pz - uz)) / (uu - 2 * uv + vv));
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

AQBENCH_INLINE bool take_closer(const TriangleTree::Block& block, const double (&p)[3], Closest& best) {
  double squared[kInBlock];
  squared_to_triangles(block, p, squared);
  bool closer = false;
  for (std::size_t i = 0; i < kInBlock; ++i) {
    const bool tie = squared[i] == best.squared && block.triangle[i] < best.triangle;
    if (!(squared[i] < best.squared) && !tie) continue;
    best = {squared[i], block.triangle[i]};
    closer = true;
  }
  return closer;
}

// What is farther than the best by no more than rounding is visited, too, so that the answer does not depend
// on where the search began.
AQBENCH_INLINE double with_slack(double squared) { return squared * (1 + 1e-12) + 1e-290; }

AQBENCH_MULTIVERSION
void closest_triangles(const TriangleTree::Node* nodes, const TriangleTree::Block* blocks,
                       const Vec3* points_m, std::size_t count, std::uint32_t* out, PendingChild* stack) {
  std::uint32_t last_block =
      0;  // where the query before ended: a low first bound cuts off most of the search
  for (std::size_t q = 0; q < count; ++q) {
    const double p[3] = {points_m[q].x(), points_m[q].y(), points_m[q].z()};
    Closest best;
    take_closer(blocks[last_block], p, best);
    double squared[kInNode];
    std::size_t top = 0;
    stack[top++] = {0, 0};
    while (top > 0) {
      const PendingChild next = stack[--top];
      const double bound = with_slack(best.squared);
      if (!(next.squared <= bound)) continue;
      if ((next.child & TriangleTree::kBlock) != 0) {
        const std::uint32_t block = next.child & ~TriangleTree::kBlock;
        if (take_closer(blocks[block], p, best)) last_block = block;
        continue;
      }
      const TriangleTree::Node& node = nodes[next.child];
      squared_to_child_boxes(node, p, squared);
      std::uint32_t nearer = 0;
      for (std::uint32_t i = 0; i < kInNode; ++i) nearer |= std::uint32_t{squared[i] <= bound} << i;
      const std::size_t first = top;
      for (; nearer != 0; nearer &= nearer - 1) {
        const int i = std::countr_zero(nearer);
        std::size_t place = top++;
        for (; place > first && stack[place - 1].squared < squared[i]; --place)
          stack[place] = stack[place - 1];
        stack[place] = {squared[i], node.child[i]};
      }
    }
    out[q] = best.triangle;
  }
}

}  // namespace

TriangleTree::TriangleTree(std::span<const Vec3> vertices_m,
                           std::span<const std::array<std::uint32_t, 3>> triangles) {
  levels_ = TriangleTreeMaker(vertices_m, triangles, blocks_, nodes_).make();
}

void TriangleTree::closest(std::span<const Vec3> points_m, std::span<std::uint32_t> out) const {
  std::vector<PendingChild> stack(kInNode * levels_ + 1);
  closest_triangles(nodes_.data(), blocks_.data(), points_m.data(), points_m.size(), out.data(),
                    stack.data());
}

}  // namespace aqbench
