#include "metrics/neighbours/nearest_neighbour.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <numeric>

#include "core/error.h"
#include "core/parallel.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

using blocks::Block;
using blocks::kNoPoint;
using blocks::kWidth;
using blocks::Node;
using blocks::Pending;

constexpr double kFar = std::numeric_limits<double>::infinity();  // of what holds nothing

bool are_floats(std::span<const Vec3> points_m) {
  std::atomic<bool> all = true;
  parallel_for(points_m.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && all; ++i)
      if (is_measurable(points_m[i]) && points_m[i] != points_m[i].cast<float>().cast<double>()) all = false;
  });
  return all;
}

void set_child(Node& node, std::size_t child, const Vec3& low, const Vec3& high) {
  node.low_x[child] = low.x(), node.low_y[child] = low.y(), node.low_z[child] = low.z();
  node.high_x[child] = high.x(), node.high_y[child] = high.y(), node.high_z[child] = high.z();
}

template <typename Scalar>
void fill_block(std::span<const Vec3> points_m, const SpatialTree& tree, std::size_t run,
                Block<Scalar>& block) {
  const std::size_t first = tree.first[run], count = tree.first[run + 1] - first;
  // Neighbours may lie anywhere in the cloud: those of the next block are fetched meanwhile.
  for (std::size_t i = first + count; i < std::min(first + count + kWidth, tree.order.size()); ++i)
    __builtin_prefetch(&points_m[tree.order[i]]);
  for (std::size_t i = 0; i < kWidth; ++i) {
    const auto point =
        (i < count ? points_m[tree.order[first + i]] : Vec3::Constant(kFar)).cast<Scalar>().eval();
    block.x[i] = point.x(), block.y[i] = point.y(), block.z[i] = point.z();
  }
}

template <typename Scalar>
void set_box_of_block(Node& node, std::size_t child, const Block<Scalar>& block) {
  Vec3 low = Vec3::Constant(kFar), high = Vec3::Constant(-kFar);
  for (std::size_t i = 0; i < kWidth && double{block.x[i]} != kFar; ++i) {
    const Vec3 point(double{block.x[i]}, double{block.y[i]}, double{block.z[i]});
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  set_child(node, child, low, high);
}

void set_box_of_node(Node& node, std::size_t child, const Node& below) {
  Vec3 low = Vec3::Constant(kFar), high = Vec3::Constant(-kFar);
  for (std::size_t i = 0; i < kWidth; ++i) {  // unused boxes change nothing
    low = low.cwiseMin(Vec3(below.low_x[i], below.low_y[i], below.low_z[i]));
    high = high.cwiseMax(Vec3(below.high_x[i], below.high_y[i], below.high_z[i]));
  }
  set_child(node, child, low, high);
}

}  // namespace

template <typename Scalar>
void NearestNeighbourIndex::fill(std::span<const Vec3> points_m, const SpatialTree& tree,
                                 std::unique_ptr<Block<Scalar>[]>& blocks) {
  blocks = std::make_unique_for_overwrite<Block<Scalar>[]>(tree.first.size() - 1);
  parallel_for(nodes_.size(), 1 << 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        const std::uint32_t child = tree.nodes[n][c];
        nodes_[n].child[c] = child;
        set_child(nodes_[n], c, Vec3::Constant(kFar), Vec3::Constant(-kFar));
        if (child == SpatialTree::kNone || (child & SpatialTree::kRun) == 0) continue;
        Block<Scalar>& block = blocks[child & ~SpatialTree::kRun];
        fill_block(points_m, tree, child & ~SpatialTree::kRun, block);
        set_box_of_block(nodes_[n], c, block);
      }
    }
  });
}

NearestNeighbourIndex::NearestNeighbourIndex(std::span<const Vec3> points_m, bool keep_indices) {
  const SpatialTree tree = make_spatial_tree(points_m, kWidth);
  size_ = tree.order.size();
  nodes_.resize(tree.nodes.size());
  if (are_floats(points_m))
    fill(points_m, tree, float_blocks_);
  else
    fill(points_m, tree, blocks_);
  std::vector<std::size_t> levels(nodes_.size(), 1);  // from a node down
  for (std::size_t n = nodes_.size(); n-- > 0;) {     // children come after their node
    for (std::size_t c = 0; c < kWidth; ++c) {
      const std::uint32_t child = nodes_[n].child[c];
      if ((child & SpatialTree::kRun) != 0) continue;
      set_box_of_node(nodes_[n], c, nodes_[child]);
      levels[n] = std::max(levels[n], levels[child] + 1);
    }
  }
  if (!levels.empty()) levels_ = levels[0];
  if (!keep_indices) return;
  const std::size_t runs = tree.first.size() - 1;
  index_of_slot_.resize(runs * kWidth, kNoPoint);
  for (std::size_t run = 0; run < runs; ++run)
    std::copy(tree.order.begin() + tree.first[run], tree.order.begin() + tree.first[run + 1],
              index_of_slot_.begin() + static_cast<std::ptrdiff_t>(run * kWidth));
}

bool NearestNeighbourIndex::holds_point(std::uint32_t slot) const { return index_of_slot_[slot] != kNoPoint; }

void NearestNeighbourIndex::require_indices() const {
  if (size_ == 0) throw Error(ErrorKind::method, "nearest neighbours: the cloud has no finite point");
  if (index_of_slot_.empty())
    throw Error(ErrorKind::usage, "nearest neighbours: this index keeps no indices");
}

void NearestNeighbourIndex::nearest(std::span<const Vec3> queries_m, std::span<std::uint32_t> out) const {
  nearest_slots(queries_m, out);
  for (std::uint32_t& slot : out) slot = index_of_slot_[slot];
}

void NearestNeighbourIndex::nearest_slots(std::span<const Vec3> queries_m,
                                          std::span<std::uint32_t> out) const {
  if (queries_m.size() != out.size())
    throw Error(ErrorKind::usage, "nearest neighbours: queries_m and out differ in size");
  require_indices();
  std::vector<Pending> stack(kWidth * levels_ + 1);
  with_blocks([&](const auto* blocks) {
    find_nearest({nodes_.data(), blocks, index_of_slot_.data()}, queries_m, out.data(), stack.data());
  });
}

void NearestNeighbourIndex::k_nearest(const Vec3& query_m, std::size_t count,
                                      std::vector<Neighbour>& out) const {
  require_indices();
  out.clear();
  if (count == 0) return;
  thread_local std::vector<Pending> stack;
  thread_local blocks::Candidates near;
  thread_local std::uint32_t last = 0;  // the block of the query before, maybe of another index
  stack.resize(kWidth * levels_ + 1);
  constexpr std::uint32_t kAround = 1;
  const auto count_of_blocks = static_cast<std::uint32_t>(index_of_slot_.size() / kWidth);
  const std::uint32_t middle = std::min(last, count_of_blocks - 1);
  const blocks::BlockRange first{middle - std::min(middle, kAround),
                                 std::min(middle + kAround + 1, count_of_blocks)};
  with_blocks([&](const auto* blocks) {
    collect_nearest({nodes_.data(), blocks, index_of_slot_.data()}, query_m, count, first, near, stack.data(),
                    out);
  });
  if (!out.empty()) last = out.front().slot / kWidth;
}

void NearestNeighbourIndex::distances(std::span<const Vec3> queries_m, std::span<double> out_m) const {
  if (queries_m.size() != out_m.size())
    throw Error(ErrorKind::usage, "nearest neighbours: queries_m and out_m differ in size");
  if (size_ == 0) throw Error(ErrorKind::method, "nearest neighbours: the cloud has no finite point");
  parallel_for(queries_m.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    std::vector<Pending> stack(kWidth * levels_ + 1);
    with_blocks([&](const auto* blocks) {
      find_distances({nodes_.data(), blocks}, queries_m.subspan(begin, end - begin), out_m.data() + begin,
                     stack.data());
    });
  });
}

std::vector<double> cloud_to_cloud_distances_m(std::span<const Vec3> from_m, std::span<const Vec3> to_m) {
  const NearestNeighbourIndex index(to_m);
  std::vector<double> distances_m(from_m.size());
  index.distances(from_m, distances_m);
  return distances_m;
}

std::vector<Vec3> first_at_each_place(std::span<const Vec3> points_m) {
  std::vector<std::uint32_t> order(points_m.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return points_m[a] != points_m[b] ? comes_before(points_m[a], points_m[b]) : a < b;
  });
  std::vector<bool> is_first(points_m.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    is_first[order[i]] = i == 0 || points_m[order[i - 1]] != points_m[order[i]];
  std::vector<Vec3> places_m;
  for (std::size_t i = 0; i < points_m.size(); ++i)
    if (is_first[i]) places_m.push_back(points_m[i]);
  return places_m;
}

}  // namespace aqbench
