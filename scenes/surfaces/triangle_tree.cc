#include "scenes/surfaces/triangle_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace aqbench {
namespace {

constexpr std::size_t kInBlock = TriangleBlock::kTriangles, kInNode = TriangleNode::kChildren;
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
                    std::vector<TriangleBlock>& blocks, std::vector<TriangleNode>& nodes)
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
      TriangleNode& node = nodes_[number];
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
    TriangleBlock& block = blocks_.emplace_back();
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
      const double uu = u.squaredNorm(), uv = u.dot(v), vv = v.squaredNorm();
      block.per_area[i] = 1 / (uu * vv - uv * uv);
      block.per_uu[i] = 1 / uu;
      block.per_vv[i] = 1 / vv;
      block.per_ww[i] = 1 / (v - u).squaredNorm();
    }
    return TriangleNode::kBlock | static_cast<std::uint32_t>(blocks_.size() - 1);
  }

  std::span<const Vec3> vertices_m_;
  std::span<const Triangle> triangles_;
  std::vector<TriangleBlock>& blocks_;
  std::vector<TriangleNode>& nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<Vec3> centres_;
};

}  // namespace

TriangleTree::TriangleTree(std::span<const Vec3> vertices_m,
                           std::span<const std::array<std::uint32_t, 3>> triangles) {
  levels_ = TriangleTreeMaker(vertices_m, triangles, blocks_, nodes_).make();
}

void TriangleTree::closest(std::span<const Vec3> points_m, std::span<std::uint32_t> out) const {
  closest_triangles(nodes_, blocks_, levels_, points_m, out);
}

}  // namespace aqbench
