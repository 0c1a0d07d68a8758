#include "metrics/neighbours/spatial_tree.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/grouping.h"
#include "core/multiversion.h"
#include "core/parallel.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

struct KeyedPoint {
  std::uint32_t key;
  std::uint32_t index;
};

constexpr int kKeyBits = 32;
constexpr int kAxisBits = 24;                 // at most, of the 32
constexpr std::size_t kKeyGrain = 1 << 16;    // points a chunk
constexpr std::size_t kSideBySide = 1 << 18;  // above it, shares of the points are worth a thread each
constexpr std::size_t kFew = 64;              // points of a range that is split by points, not by cells
constexpr std::size_t kChildrenAimedAt = 10;  // of 16
constexpr double kShortestSide = 1e-290;  // in metres, of a box that can be divided: 2^24 / side is finite

// Morton code of a box of any shape: each of the 32 bits halves the axis on which cells are then longest.
class BoxCode {
 public:
  BoxCode(const Vec3& low, const Vec3& high) : low_(low) {
    std::array<double, 3> cell;
    for (int axis = 0; axis < 3; ++axis) cell[axis] = high[axis] - low[axis];
    std::array<std::array<std::uint32_t, kKeyBits>, 3> places{};  // key bits of an axis, highest first
    for (int bit = kKeyBits - 1; bit >= 0; --bit) {
      int longest = -1;
      for (int axis = 0; axis < 3; ++axis) {
        if (bits_[axis] == kAxisBits || cell[axis] < kShortestSide) continue;
        if (longest < 0 || cell[axis] > cell[longest]) longest = axis;
      }
      if (longest < 0) break;
      places[longest][static_cast<std::size_t>(bits_[longest]++)] = 1U << bit;
      cell[longest] *= 0.5;
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (bits_[axis] > 0) scale_[axis] = std::ldexp(1.0, bits_[axis]) / (high[axis] - low[axis]);
      fill_tables(axis, places[static_cast<std::size_t>(axis)]);
    }
  }

  std::uint32_t operator()(const Vec3& point) const {
    std::uint32_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (bits_[axis] == 0) continue;
      const auto cell = static_cast<std::uint32_t>((point[axis] - low_[axis]) * scale_[axis]);
      const std::uint32_t clamped = std::min(cell, (1U << bits_[axis]) - 1);
      const auto& table = tables_[static_cast<std::size_t>(axis)];
      key |= table[0][clamped & 255U] | table[1][(clamped >> 8U) & 255U] | table[2][clamped >> 16U];
    }
    return key;
  }

 private:
  // tables_[axis][b][v]: the key bits of byte b of a cell number when that byte is v.
  void fill_tables(int axis, const std::array<std::uint32_t, kKeyBits>& places) {
    auto& table = tables_[static_cast<std::size_t>(axis)];
    for (int bit = 0; bit < bits_[axis]; ++bit) {
      const std::uint32_t place = places[static_cast<std::size_t>(bits_[axis] - 1 - bit)];
      auto& bytes = table[static_cast<std::size_t>(bit / 8)];
      for (std::uint32_t value = 0; value < 256; ++value) {
        if ((value >> (static_cast<std::uint32_t>(bit) % 8U)) & 1U) bytes[value] |= place;
      }
    }
  }

  Vec3 low_;
  std::array<int, 3> bits_{};
  std::array<double, 3> scale_{};
  std::array<std::array<std::array<std::uint32_t, 256>, 3>, 3> tables_{};
};

// Stable, by key; `scratch` is as long as `items`.
void radix_sort(std::span<KeyedPoint> items, std::span<KeyedPoint> scratch) {
  constexpr std::uint32_t kDigitBits = 11;
  constexpr std::uint32_t kDigits = 1U << kDigitBits;
  std::array<std::array<std::uint32_t, kDigits>, 3> counts{};
  for (const KeyedPoint& item : items) {
    for (std::uint32_t pass = 0; pass < 3; ++pass)
      ++counts[pass][(item.key >> (pass * kDigitBits)) & (kDigits - 1)];
  }
  std::span<KeyedPoint> from = items, to = scratch;
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    auto& starts = counts[pass];
    const std::uint32_t shift = pass * kDigitBits;
    if (starts[(from.front().key >> shift) & (kDigits - 1)] == from.size()) continue;  // one digit only
    std::uint32_t next = 0;
    for (std::uint32_t& start : starts) next += std::exchange(start, next);
    for (const KeyedPoint& item : from) to[starts[(item.key >> shift) & (kDigits - 1)]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::ranges::copy(from, items.begin());
}

// The same as radix_sort on all threads: deals the items by their highest bits, then sorts each share.
void sort_side_by_side(std::span<KeyedPoint> items) {
  constexpr std::uint32_t kShareBits = 5, kShift = kKeyBits - kShareBits;
  const auto memory = std::make_unique_for_overwrite<KeyedPoint[]>(items.size());
  const std::span dealt(memory.get(), items.size());
  const std::vector<std::uint32_t> starts = group_in_order(
      items.size(), 1U << kShareBits, [&](std::size_t i) { return items[i].key >> kShift; },
      [&](std::size_t i, std::uint32_t place) { dealt[place] = items[i]; });
  parallel_for(starts.size() - 1, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t share = begin; share < end; ++share) {
      const std::size_t first = starts[share], count = starts[share + 1] - first;
      if (count == 0) continue;
      radix_sort(dealt.subspan(first, count), items.subspan(first, count));
      std::ranges::copy(dealt.subspan(first, count), items.subspan(first, count).begin());
    }
  });
}

void sort_by_key(std::span<KeyedPoint> items) {
  if (items.size() > kSideBySide) return sort_side_by_side(items);
  if (items.size() >= 2048) {
    std::vector<KeyedPoint> scratch(items.size());
    radix_sort(items, scratch);
    return;
  }
  std::ranges::sort(items, [](const KeyedPoint& a, const KeyedPoint& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
}

using FewNumbers = std::array<std::int32_t, kFew>;
using SixteenNumbers = std::int32_t __attribute__((vector_size(64), aligned(4), may_alias));

// Writes how many of the first `count` numbers are less than each of them: its place in their order. That
// compares every pair, but without a branch that could be mispredicted.
AQBENCH_MULTIVERSION
void find_places(const FewNumbers& numbers, std::size_t count, FewNumbers& places) {
  for (std::size_t first = 0; first < count; first += 16) {
    const SixteenNumbers some = *reinterpret_cast<const SixteenNumbers*>(numbers.data() + first);
    SixteenNumbers less{};
    for (std::size_t i = 0; i < count; ++i) less -= numbers[i] < some;
    *reinterpret_cast<SixteenNumbers*>(places.data() + first) = less;
  }
}

using Range = std::pair<std::uint32_t, std::uint32_t>;  // begin and end in the order

std::size_t length(const Range& range) { return range.second - range.first; }

class TreeMaker {
 public:
  TreeMaker(std::span<const Vec3> points_m, std::size_t longest)
      : points_m_(points_m),
        longest_(longest),
        memory_(std::make_unique_for_overwrite<KeyedPoint[]>(points_m.size())) {
    std::atomic<bool> all = true;
    parallel_for(points_m.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        memory_[i] = {0, static_cast<std::uint32_t>(i)};
        if (!is_measurable(points_m[i])) all = false;
      }
    });
    items_ = std::span(memory_.get(), points_m.size());
    if (all) return;
    const auto end = std::remove_if(items_.begin(), items_.end(), [&](const KeyedPoint& item) {
      return !is_measurable(points_m[item.index]);
    });
    items_ = std::span(items_.begin(), end);
  }

  SpatialTree make() {
    SpatialTree tree;
    if (!items_.empty()) {
      order(items_);
      add_node({0, static_cast<std::uint32_t>(items_.size())}, tree);
    }
    tree.first.push_back(static_cast<std::uint32_t>(items_.size()));
    tree.order.resize(items_.size());
    std::ranges::transform(items_, tree.order.begin(), &KeyedPoint::index);
    return tree;
  }

 private:
  // The low and the high corner of the points' bounding box.
  std::pair<Vec3, Vec3> box_of(std::span<const KeyedPoint> items) const {
    const Vec3& first = points_m_[items[0].index];
    // Numbers stay in registers; compilers put minima of Vec3 through memory.
    std::array<double, 3> low{first.x(), first.y(), first.z()}, high = low;
    for (const KeyedPoint& item : items) {
      const Vec3& point = points_m_[item.index];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], point[static_cast<Eigen::Index>(axis)]);
        high[axis] = std::max(high[axis], point[static_cast<Eigen::Index>(axis)]);
      }
    }
    return {Vec3(low.data()), Vec3(high.data())};
  }

  // The same of many points, on all threads.
  std::pair<Vec3, Vec3> box_of_many(std::span<const KeyedPoint> items) const {
    std::vector<std::pair<Vec3, Vec3>> boxes((items.size() + kKeyGrain - 1) / kKeyGrain);
    parallel_for(items.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
      boxes[begin / kKeyGrain] = box_of(items.subspan(begin, end - begin));
    });
    for (const auto& [low, high] : boxes) {
      boxes[0].first = boxes[0].first.cwiseMin(low);
      boxes[0].second = boxes[0].second.cwiseMax(high);
    }
    return boxes[0];
  }

  // Computes the codes of points within their own bounding box and sorts by them. Points at one place are
  // numbered instead, so that they can be split like others.
  void order(std::span<KeyedPoint> items) {
    const auto [low, high] = box_of_many(items);
    if (!((high - low).maxCoeff() > kShortestSide)) {
      for (std::uint32_t i = 0; i < items.size(); ++i) items[i].key = i;
      return;
    }
    const BoxCode code(low, high);
    parallel_for(items.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) items[i].key = code(points_m_[items[i].index]);
    });
    sort_by_key(items);
  }

  // Returns where to cut a range of more points than a run: at the highest bit in which keys differ, that is
  // between two cells. If all points are in one cell, they are first coded again within it. That divides the
  // longest side by at least 2^10, so that once or twice is usual, and the range of doubles is a limit.
  std::uint32_t split(Range range) {
    const std::span<KeyedPoint> items = items_.subspan(range.first, length(range));
    if (items.size() <= kFew) return range.first + split_into_full_runs(items);
    if (items.front().key == items.back().key) order(items);
    const std::uint32_t bit = std::bit_floor(items.front().key ^ items.back().key);
    const auto upper =
        std::ranges::partition_point(items, [bit](const KeyedPoint& item) { return (item.key & bit) == 0; });
    return range.first + static_cast<std::uint32_t>(upper - items.begin());
  }

  // Splits a small range across its longest side, so that in the end one run at most is not full.
  std::uint32_t split_into_full_runs(std::span<KeyedPoint> items) {
    const auto [low, high] = box_of(items);
    Eigen::Index axis = 0;
    const double side = (high - low).maxCoeff(&axis);
    constexpr double kSteps = 1 << 25;  // each of kFew numbers, so that all differ
    const double steps_per_m = side > kShortestSide ? kSteps / side : 0;
    FewNumbers along{}, places;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const double step = (points_m_[items[i].index][axis] - low[axis]) * steps_per_m;
      along[i] = static_cast<std::int32_t>(std::min(step, kSteps - 1)) * static_cast<std::int32_t>(kFew) +
                 static_cast<std::int32_t>(i);
    }
    find_places(along, items.size(), places);
    std::array<KeyedPoint, kFew> sorted;
    for (std::size_t i = 0; i < items.size(); ++i) sorted[static_cast<std::size_t>(places[i])] = items[i];
    std::copy_n(sorted.begin(), items.size(), items.begin());
    const std::size_t runs = (items.size() + longest_ - 1) / longest_;
    return static_cast<std::uint32_t>(runs / 2 * longest_);
  }

  // Adds a node over a range: the largest part is split until all parts are small enough or the node is full.
  // A part is small enough if it fits into one node of the level below; so few nodes are half empty.
  std::uint32_t add_node(Range range, SpatialTree& tree) {
    std::array<Range, SpatialTree::kChildren> parts;
    std::size_t count = 1;
    parts[0] = range;
    std::size_t small_enough = longest_;
    while (small_enough * kChildrenAimedAt * 16 / 10 < length(range)) small_enough *= kChildrenAimedAt;
    while (count < parts.size()) {
      const auto largest =
          std::max_element(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](const Range& a, const Range& b) { return length(a) < length(b); });
      if (length(*largest) <= small_enough) break;
      const std::uint32_t middle = split(*largest);
      parts[count++] = {middle, largest->second};
      largest->second = middle;
    }
    std::ranges::sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
    const auto node = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.emplace_back().fill(SpatialTree::kNone);
    if (length(range) == items_.size() && items_.size() > kSideBySide) {
      add_side_by_side(std::span(parts).first(count), node, tree);
      return node;
    }
    for (std::size_t c = 0; c < count; ++c) {
      const std::uint32_t child = add_child(parts[c], tree);
      tree.nodes[node][c] = child;
    }
    return node;
  }

  std::uint32_t add_child(Range range, SpatialTree& tree) {
    if (length(range) > longest_) return add_node(range, tree);
    tree.first.push_back(range.first);
    return SpatialTree::kRun | static_cast<std::uint32_t>(tree.first.size() - 1);
  }

  // Makes a tree of each part on the threads there are, and appends them in their order: the same tree as one
  // by one.
  void add_side_by_side(std::span<const Range> parts, std::uint32_t node, SpatialTree& tree) {
    std::array<SpatialTree, SpatialTree::kChildren> of_part;
    std::array<std::uint32_t, SpatialTree::kChildren> child{};
    parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) child[c] = add_child(parts[c], of_part[c]);
    });
    for (std::size_t c = 0; c < parts.size(); ++c) {
      const auto nodes_before = static_cast<std::uint32_t>(tree.nodes.size());
      const auto runs_before = static_cast<std::uint32_t>(tree.first.size());
      const auto moved = [&](std::uint32_t number) {
        return number == SpatialTree::kNone
                   ? number
                   : number + ((number & SpatialTree::kRun) != 0 ? runs_before : nodes_before);
      };
      tree.nodes[node][c] = moved(child[c]);
      for (const auto& children : of_part[c].nodes)
        std::ranges::transform(children, tree.nodes.emplace_back().begin(), moved);
      tree.first.insert(tree.first.end(), of_part[c].first.begin(), of_part[c].first.end());
    }
  }

  std::span<const Vec3> points_m_;
  std::size_t longest_;
  std::unique_ptr<KeyedPoint[]> memory_;
  std::span<KeyedPoint> items_;  // the measurable points
};

}  // namespace

SpatialTree make_spatial_tree(std::span<const Vec3> points_m, std::size_t longest) {
  if (points_m.size() >= SpatialTree::kRun)
    throw Error(ErrorKind::method, "cloud: more than 2147483647 points: " + std::to_string(points_m.size()));
  return TreeMaker(points_m, longest).make();
}

}  // namespace aqbench
