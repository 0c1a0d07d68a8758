#include "metrics/protocols/voxels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

using Voxel = std::array<std::int64_t, 3>;

std::int64_t floored(double value) {
  constexpr double kMaxWhole = 9007199254740992.0;  // 2^53: beyond it neighbouring voxels have one number
  if (!(std::abs(value) < kMaxWhole))
    throw Error(ErrorKind::input,
                "a point lies more than 2^53 voxels away from the origin: is the unit right?");
  return static_cast<std::int64_t>(std::floor(value));
}

Voxel voxel_at(const Vec3& scaled) { return {floored(scaled.x()), floored(scaled.y()), floored(scaled.z())}; }

void check_count(std::size_t points) {
  if (points >= std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::input, "voxels: more than 4294967294 points");
}

template <class VoxelOf>
VoxelGroups group(std::span<const Vec3> points_m, const VoxelOf& voxel_of) {
  check_count(points_m.size());
  std::vector<Voxel> voxels(points_m.size());
  VoxelGroups groups;
  groups.order.resize(points_m.size());
  for (std::uint32_t i = 0; i < points_m.size(); ++i) {
    voxels[i] = voxel_of(points_m[i]);
    groups.order[i] = i;
  }
  std::ranges::sort(groups.order, [&](std::uint32_t a, std::uint32_t b) {
    return voxels[a] != voxels[b] ? voxels[a] < voxels[b] : comes_before(points_m[a], points_m[b]);
  });
  for (std::size_t i = 0; i < groups.order.size(); ++i)
    if (i == 0 || voxels[groups.order[i]] != voxels[groups.order[i - 1]]) groups.first.push_back(i);
  groups.first.push_back(groups.order.size());
  return groups;
}

template <class T>
VoxelGroups group_shifted(std::span<const Vec3> points_m, double size_m, double shift) {
  const T per_m = static_cast<T>(1.0 / static_cast<double>(static_cast<T>(size_m)));
  const T moved = static_cast<T>(shift);
  return group(points_m, [&](const Vec3& point) {
    Voxel voxel;
    for (int axis = 0; axis < 3; ++axis) {
      const T scaled = static_cast<T>(point[axis]) * per_m;
      voxel[static_cast<std::size_t>(axis)] = floored(static_cast<double>(static_cast<T>(scaled + moved)));
    }
    return voxel;
  });
}

// Points sorted by voxels of one size: those near a place are found without looking at all.
class VoxelIndex {
 public:
  VoxelIndex(std::span<const Vec3> points_m, double size_m) : size_m_(size_m) {
    check_count(points_m.size());
    sorted_.reserve(points_m.size());
    for (std::uint32_t i = 0; i < points_m.size(); ++i)
      sorted_.push_back({voxel_at(points_m[i] / size_m), i});
    std::ranges::sort(sorted_);
    columns_.resize(std::bit_ceil(2 * sorted_.size() + 1), kNone);
    for (std::uint32_t i = 0; i < sorted_.size(); ++i)
      if (i == 0 || !in_column(i - 1, sorted_[i].first[0], sorted_[i].first[1]))
        columns_[slot_of(sorted_[i].first[0], sorted_[i].first[1])] = i;
  }

  // Calls visit(index of a point) for every point in the voxel of `place_m` and in the 26 around it: all
  // points within the voxels' size are among them.
  template <class Visit>
  void for_each_near(const Vec3& place_m, const Visit& visit) const {
    const Voxel middle = voxel_at(place_m / size_m_);
    for (std::int64_t x = middle[0] - 1; x <= middle[0] + 1; ++x) {
      for (std::int64_t y = middle[1] - 1; y <= middle[1] + 1; ++y) {  // a column of voxels is contiguous
        const std::size_t column = columns_[slot_of(x, y)];
        if (column == kNone) continue;
        const Voxel last = {x, y, middle[2] + 1};
        for (std::size_t i = first_from(column, {x, y, middle[2] - 1});
             i < sorted_.size() && sorted_[i].first <= last; ++i)
          visit(sorted_[i].second);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  bool in_column(std::size_t i, std::int64_t x, std::int64_t y) const {
    return sorted_[i].first[0] == x && sorted_[i].first[1] == y;
  }

  // The slot of a column, or the free one that it would take. At least half of all slots are free.
  std::size_t slot_of(std::int64_t x, std::int64_t y) const {
    std::uint64_t mixed = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15U +
                          static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4FU;
    mixed ^= mixed >> 32;
    std::size_t slot = mixed & (columns_.size() - 1);
    while (columns_[slot] != kNone && !in_column(columns_[slot], x, y))
      slot = (slot + 1) & (columns_.size() - 1);
    return slot;
  }

  // The first point from `begin` on that is not before a voxel, which mostly is near.
  std::size_t first_from(std::size_t begin, const Voxel& voxel) const {
    std::size_t step = 1;
    while (begin + step < sorted_.size() && sorted_[begin + step].first < voxel) {
      begin += step;
      step *= 2;
    }
    const auto end =
        sorted_.begin() + static_cast<std::ptrdiff_t>(std::min(begin + step + 1, sorted_.size()));
    return static_cast<std::size_t>(std::lower_bound(sorted_.begin() + static_cast<std::ptrdiff_t>(begin),
                                                     end, std::pair(voxel, std::uint32_t{0})) -
                                    sorted_.begin());
  }

  double size_m_;
  std::vector<std::pair<Voxel, std::uint32_t>> sorted_;
  std::vector<std::uint32_t> columns_;  // where the columns begin in sorted_, by a hash
};

// A stream of random numbers of its own (core/random.h).
constexpr auto kThinningStream = static_cast<RandomStream>(31);

// The numbers 0 to count - 1 in a random order.
std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::pair<double, std::uint32_t>> keys(count);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = {uniform01({seed, kThinningStream}, i), i};
  std::ranges::sort(keys);
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = keys[i].second;
  return order;
}

// Decides which points stay when they are looked at in a random order. A point is decided when those near it
// that come earlier are, which are few: in the order of places all that is needed lies in the caches. Threads
// that decide the same point find the same.
class Thinning {
 public:
  Thinning(std::span<const Vec3> points_m, double radius_m, const std::vector<std::uint32_t>& order)
      : points_m_(points_m),
        radius_m_(radius_m),
        index_(points_m, radius_m),
        turns_(points_m.size()),
        fates_(points_m.size()) {
    for (std::uint32_t turn = 0; turn < order.size(); ++turn) turns_[order[turn]] = turn;
    parallel_for(points_m.size(), 1 << 14, [this](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) decide(static_cast<std::uint32_t>(i));
    });
  }

  bool keeps(std::size_t i) const { return fates_[i] == Fate::stays; }

 private:
  enum class Fate : char { open, stays, goes };

  bool are_near(std::uint32_t a, std::uint32_t b) const {
    return (points_m_[a] - points_m_[b]).squaredNorm() <= radius_m_ * radius_m_;
  }

  // First all points near i are marked as going, then i as staying: a thread that reads that i stays finds
  // its neighbours gone. The depth of the recursion grows with the logarithm of the number of points, since
  // turns are random.
  void decide(std::uint32_t i) {  // NOLINT(misc-no-recursion)
    if (fates_[i] != Fate::open) return;
    index_.for_each_near(points_m_[i], [&](std::uint32_t other) {
      if (fates_[i] == Fate::open && fates_[other] == Fate::open && turns_[other] < turns_[i] &&
          are_near(i, other))
        decide(other);
    });
    if (fates_[i] != Fate::open) return;
    index_.for_each_near(points_m_[i], [&](std::uint32_t other) {
      if (other != i && fates_[other] == Fate::open && are_near(i, other))
        fates_[other].store(Fate::goes, std::memory_order_release);
    });
    fates_[i].store(Fate::stays, std::memory_order_release);
  }

  std::span<const Vec3> points_m_;
  double radius_m_;
  VoxelIndex index_;
  std::vector<std::uint32_t> turns_;
  std::vector<std::atomic<Fate>> fates_;  // open at first
};

}  // namespace

VoxelGroups group_by_shifted_voxel(std::span<const Vec3> points_m, double size_m, double shift, bool single) {
  return single ? group_shifted<float>(points_m, size_m, shift)
                : group_shifted<double>(points_m, size_m, shift);
}

std::vector<Vec3> voxel_means(std::span<const Vec3> points_m, double size_m) {
  std::vector<Vec3> means_m;
  if (points_m.empty()) return means_m;
  Vec3 low = points_m.front();
  for (const Vec3& point : points_m) low = low.cwiseMin(point);
  const Vec3 origin_m = low - Vec3::Constant(0.5 * size_m);
  const VoxelGroups groups =
      group(points_m, [&](const Vec3& point) { return voxel_at((point - origin_m) / size_m); });
  for (std::size_t v = 0; v + 1 < groups.first.size(); ++v) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = groups.first[v]; i < groups.first[v + 1]; ++i) sum += points_m[groups.order[i]];
    means_m.push_back(sum / static_cast<double>(groups.first[v + 1] - groups.first[v]));
  }
  return means_m;
}

std::vector<Vec3> thin_points(std::vector<Vec3> points_m, double radius_m, std::uint64_t seed) {
  std::ranges::sort(points_m, comes_before);
  const Thinning thinning(points_m, radius_m, random_order(points_m.size(), seed));
  std::vector<Vec3> thinned_m;
  for (std::size_t i = 0; i < points_m.size(); ++i)
    if (thinning.keeps(i)) thinned_m.push_back(points_m[i]);
  return thinned_m;
}

}  // namespace aqbench
