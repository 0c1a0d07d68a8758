#include "metrics/spatial_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "scenes/core/error.h"
#include "scenes/core/parallel.h"

namespace aqbench {
namespace {

struct KeyedPoint {
  std::uint32_t key;
  std::uint32_t index;
};

constexpr int kKeyBits = 32;
constexpr int kAxisBits = 24;            // at most, of the 32
constexpr std::size_t kGrain = 1 << 16;  // points a chunk
constexpr std::size_t kFewPoints = 32;

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
        if (bits_[axis] == kAxisBits || cell[axis] < 1e-290) continue;
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
    for (std::uint32_t pass = 0; pass < 3; ++pass) {
      ++counts[pass][(item.key >> (pass * kDigitBits)) & (kDigits - 1)];
    }
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

void sort_by_key(std::span<KeyedPoint> items, std::span<KeyedPoint> scratch) {
  if (items.size() >= 2048) {
    radix_sort(items, scratch);
    return;
  }
  std::ranges::sort(items, [](const KeyedPoint& a, const KeyedPoint& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
}

// Good enough for a handful of points, at a fraction of the price of a code.
void sort_along_longest_axis(std::span<const Vec3> points_m, std::span<KeyedPoint> items, const Vec3& sides) {
  Eigen::Index axis = 0;
  sides.maxCoeff(&axis);
  std::ranges::sort(items, [&](const KeyedPoint& a, const KeyedPoint& b) {
    const double place_a = points_m[a.index][axis], place_b = points_m[b.index][axis];
    return place_a != place_b ? place_a < place_b : a.index < b.index;
  });
}

// Cells that hold more than `run` points are ordered again within their own bounding box. Each level divides
// the longest side by at least 2^10, so the depth is bounded by the range of doubles, and in practice is 2.
void order_by_cells(std::span<const Vec3> points_m, std::span<KeyedPoint> items,
                    std::span<KeyedPoint> scratch, std::size_t run) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3 low = Vec3::Constant(kInfinity), high = Vec3::Constant(-kInfinity);
  for (const KeyedPoint& item : items) {
    low = low.cwiseMin(points_m[item.index]);
    high = high.cwiseMax(points_m[item.index]);
  }
  if (low == high) return;  // all in one place
  if (items.size() <= kFewPoints) {
    sort_along_longest_axis(points_m, items, high - low);
    return;
  }
  const BoxCode code(low, high);
  parallel_for(items.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) items[i].key = code(points_m[items[i].index]);
  });
  if (std::ranges::all_of(items, [&](const KeyedPoint& item) { return item.key == items[0].key; })) {
    return;  // closer together than a cell of this box can be: below 1e-290 m
  }
  sort_by_key(items, scratch);
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin + 1;
    while (end < items.size() && items[end].key == items[begin].key) ++end;
    if (end - begin > run) {
      order_by_cells(points_m, items.subspan(begin, end - begin), scratch.subspan(begin, end - begin), run);
    }
    begin = end;
  }
}

}  // namespace

std::vector<std::uint32_t> spatial_order(std::span<const Vec3> points_m, std::size_t run) {
  if (points_m.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::method, "cloud: more than 4294967295 points: " + std::to_string(points_m.size()));
  }
  std::vector<KeyedPoint> items;
  items.reserve(points_m.size());
  for (std::uint32_t i = 0; i < points_m.size(); ++i) {
    if (is_measurable(points_m[i])) items.push_back({0, i});
  }
  {
    std::vector<KeyedPoint> scratch(items.size());
    order_by_cells(points_m, items, scratch, run);
  }
  std::vector<std::uint32_t> order(items.size());
  std::ranges::transform(items, order.begin(), &KeyedPoint::index);
  return order;
}

}  // namespace aqbench
