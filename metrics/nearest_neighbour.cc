#include "metrics/nearest_neighbour.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/spatial_order.h"
#include "scenes/core/error.h"
#include "scenes/core/multiversion.h"
#include "scenes/core/parallel.h"

namespace aqbench {
namespace {

constexpr std::size_t kWidth = 8;  // points a block, children a node
constexpr double kFar = std::numeric_limits<double>::infinity();
using Block = NearestNeighbourIndex::Block;
using Node = NearestNeighbourIndex::Node;

struct Tree {
  const Block* blocks;
  const Node* const* levels;  // from the parents of blocks to the root
  int level_count;
};

AQBENCH_INLINE double larger(double a, double b) { return a > b ? a : b; }
AQBENCH_INLINE double smaller(double a, double b) { return a < b ? a : b; }

// Squared distances from the query to the eight boxes. The sums are formed as squared_to_points forms them,
// so that a box of one place is exactly as far as the points in it and equal points are never visited twice.
AQBENCH_INLINE void squared_to_boxes(const Node& node, const double (&query)[3], double (&out)[kWidth]) {
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double dx = larger(larger(node.low_x[i] - query[0], query[0] - node.high_x[i]), 0.0);
    const double dy = larger(larger(node.low_y[i] - query[1], query[1] - node.high_y[i]), 0.0);
    const double dz = larger(larger(node.low_z[i] - query[2], query[2] - node.high_z[i]), 0.0);
    out[i] = dx * dx + dy * dy + dz * dz;
  }
}

// The least squared distance from the query to the eight points.
AQBENCH_INLINE double squared_to_points(const Block& block, const double (&query)[3]) {
  double squared[kWidth];
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double dx = block.x[i] - query[0], dy = block.y[i] - query[1], dz = block.z[i] - query[2];
    squared[i] = dx * dx + dy * dy + dz * dz;
  }
  for (std::size_t half = kWidth / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) squared[i] = smaller(squared[i], squared[i + half]);
  }
  return squared[0];
}

struct Pending {
  double squared;
  std::uint32_t index;
  int level;  // of the node `index` itself; -1: a block
};

// Appends the children that are nearer than `best`, the nearest last.
AQBENCH_INLINE int push_children(const double (&squared)[kWidth], double best, std::uint32_t parent,
                                 int level, Pending* stack, int top) {
  const int first = top;
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (!(squared[i] < best)) continue;
    int place = top++;
    for (; place > first && stack[place - 1].squared < squared[i]; --place) stack[place] = stack[place - 1];
    stack[place] = {squared[i], static_cast<std::uint32_t>(parent * kWidth + i), level - 1};
  }
  return top;
}

// Distances for queries in order. `best` starts from the point that was nearest to the query before: any
// point gives an upper bound, and a close one ends most of the search before it starts.
AQBENCH_MULTIVERSION
void search_all(const Tree& tree, const Vec3* queries_m, std::size_t count, double* out_m) {
  Pending stack[kWidth * 12];  // at most 7 wait on each of 11 levels (2^32 points)
  double squared[kWidth];
  std::uint32_t nearest_block = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double query[3] = {queries_m[i].x(), queries_m[i].y(), queries_m[i].z()};
    double best = squared_to_points(tree.blocks[nearest_block], query);
    int top = 0;
    stack[top++] = {0, 0, tree.level_count - 1};
    while (top > 0) {
      const Pending next = stack[--top];
      if (!(next.squared < best)) continue;
      if (next.level < 0) {
        const double found = squared_to_points(tree.blocks[next.index], query);
        if (found < best) {
          best = found;
          nearest_block = next.index;
        }
        continue;
      }
      squared_to_boxes(tree.levels[next.level][next.index], query, squared);
      top = push_children(squared, best, next.index, next.level, stack, top);
    }
    out_m[i] = std::sqrt(best);
  }
}

void set_child(Node& node, std::size_t child, const Vec3& low, const Vec3& high) {
  node.low_x[child] = low.x(), node.low_y[child] = low.y(), node.low_z[child] = low.z();
  node.high_x[child] = high.x(), node.high_y[child] = high.y(), node.high_z[child] = high.z();
}

// Boxes of `count` children, where box_of(i, low, high) gives child i's box.
template <class BoxOf>
std::vector<Node> make_level(std::size_t count, const BoxOf& box_of) {
  std::vector<Node> nodes((count + kWidth - 1) / kWidth);
  parallel_for(nodes.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        Vec3 low = Vec3::Constant(kFar), high = Vec3::Constant(-kFar);
        if (n * kWidth + c < count) box_of(n * kWidth + c, low, high);
        set_child(nodes[n], c, low, high);
      }
    }
  });
  return nodes;
}

void grow(Vec3& low, Vec3& high, double x, double y, double z) {
  if (x == kFar) return;  // a place left over
  low = low.cwiseMin(Vec3(x, y, z));
  high = high.cwiseMax(Vec3(x, y, z));
}

}  // namespace

NearestNeighbourIndex::NearestNeighbourIndex(std::span<const Vec3> points_m) {
  {
    const std::vector<std::uint32_t> order = spatial_order(points_m, kWidth);
    size_ = order.size();
    blocks_.resize((size_ + kWidth - 1) / kWidth);
    parallel_for(blocks_.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin * kWidth; i < end * kWidth; ++i) {
        const Vec3 point = i < size_ ? points_m[order[i]] : Vec3::Constant(kFar);
        Block& block = blocks_[i / kWidth];
        block.x[i % kWidth] = point.x(), block.y[i % kWidth] = point.y(), block.z[i % kWidth] = point.z();
      }
    });
  }
  if (size_ == 0) return;
  levels_.push_back(make_level(blocks_.size(), [&](std::size_t i, Vec3& low, Vec3& high) {
    const Block& block = blocks_[i];
    for (std::size_t p = 0; p < kWidth; ++p) grow(low, high, block.x[p], block.y[p], block.z[p]);
  }));
  while (levels_.back().size() > 1) {
    const std::vector<Node>& below = levels_.back();
    levels_.push_back(make_level(below.size(), [&](std::size_t i, Vec3& low, Vec3& high) {
      const Node& node = below[i];
      for (std::size_t c = 0; c < kWidth; ++c) {
        grow(low, high, node.low_x[c], node.low_y[c], node.low_z[c]);
        if (node.low_x[c] != kFar) grow(low, high, node.high_x[c], node.high_y[c], node.high_z[c]);
      }
    }));
  }
}

void NearestNeighbourIndex::distances(std::span<const Vec3> queries_m, std::span<double> out_m) const {
  if (queries_m.size() != out_m.size()) {
    throw Error(ErrorKind::usage, "nearest neighbours: queries_m and out_m differ in size");
  }
  if (size_ == 0) throw Error(ErrorKind::method, "nearest neighbours: the cloud has no finite point");
  std::vector<const Node*> levels;
  for (const std::vector<Node>& level : levels_) levels.push_back(level.data());
  const Tree tree{blocks_.data(), levels.data(), static_cast<int>(levels.size())};
  parallel_for(queries_m.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    search_all(tree, queries_m.data() + begin, end - begin, out_m.data() + begin);
  });
}

std::vector<double> cloud_to_cloud_distances_m(std::span<const Vec3> from_m, std::span<const Vec3> to_m) {
  const NearestNeighbourIndex index(to_m);
  std::vector<double> distances_m(from_m.size());
  index.distances(from_m, distances_m);
  return distances_m;
}

}  // namespace aqbench
