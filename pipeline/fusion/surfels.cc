#include "pipeline/fusion/fusion.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "core/morton.h"
#include "core/parallel.h"

namespace aqbench {
namespace {

constexpr std::size_t kKeyGrain = 1 << 16;
constexpr int kBucketBits = 12;
constexpr std::size_t kBuckets = 1 << kBucketBits, kPlaces = kBuckets + 1;

constexpr std::size_t kPointGrain = 1 << 16;
constexpr std::size_t kVoxelGrain = 4096;

// By how much to shift keys for their highest bits, which number their buckets.
int bucket_shift(std::uint64_t last_key) {
  return std::max(0, static_cast<int>(std::bit_width(last_key)) - kBucketBits);
}

constexpr std::uint64_t kNoKey = ~std::uint64_t{0};  // of three coordinates

// Puts the items of a bucket beside each other, in the order they had, and returns where each bucket begins;
// items without a key come last. Counts per chunk make the result independent of the thread of a chunk.
std::vector<std::size_t> put_in_buckets(std::vector<KeyedIndex>& items, int shift) {
  const auto bucket_of = [&](const KeyedIndex& item) {
    return item.key == kNoKey ? kBuckets : static_cast<std::size_t>(item.key >> shift);
  };
  const std::size_t chunks = (items.size() + kKeyGrain - 1) / kKeyGrain;
  std::vector<std::uint32_t> counts(chunks * kPlaces, 0);
  parallel_for(items.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const count = &counts[begin / kKeyGrain * kPlaces];
    for (std::size_t i = begin; i < end; ++i) ++count[bucket_of(items[i])];
  });
  std::vector<std::size_t> places(counts.size()), first(kPlaces);
  std::size_t total = 0;
  for (std::size_t bucket = 0; bucket < kPlaces; ++bucket) {
    first[bucket] = total;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      places[chunk * kPlaces + bucket] = total;
      total += counts[chunk * kPlaces + bucket];
    }
  }
  std::vector<KeyedIndex> ordered(items.size());
  parallel_for(items.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
    std::size_t* const place = &places[begin / kKeyGrain * kPlaces];
    for (std::size_t i = begin; i < end; ++i) ordered[place[bucket_of(items[i])]++] = items[i];
  });
  items = std::move(ordered);
  return first;
}

// Contribution of one point or surfel to its voxel.
struct VoxelSample {
  double x_m, y_m, z_m;  // from the grid's origin
  double weight, confidence;
  Eigen::Vector3f towards_camera;
};

// The weighted sums of a voxel's samples, added one after the other.
struct VoxelSum {
  std::uint64_t key = 0;
  double x = 0, y = 0, z = 0, weight = 0, confidence = 0;
  Vec3 towards = Vec3::Zero();

  void add(const VoxelSample& sample) {
    x += sample.weight * sample.x_m;
    y += sample.weight * sample.y_m;
    z += sample.weight * sample.z_m;
    weight += sample.weight;
    confidence += sample.weight * sample.confidence;
    towards += sample.weight * sample.towards_camera.cast<double>();
  }

  void write(Surfels& out, std::size_t v) const {
    out.keys[v] = key;
    out.x_m[v] = static_cast<float>(x / weight);
    out.y_m[v] = static_cast<float>(y / weight);
    out.z_m[v] = static_cast<float>(z / weight);
    out.weight[v] = static_cast<float>(weight);
    out.confidence[v] = static_cast<float>(confidence / weight);
    out.towards_camera[v] = (towards / weight).cast<float>();
  }
};

// `first` holds the start of each run in `items`, then their total.
template <class Fetch>
void sum_runs(const std::vector<KeyedIndex>& items, const std::vector<std::size_t>& first, const Fetch& fetch,
              Surfels& out) {
  parallel_for(out.count(), kVoxelGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      VoxelSum sum{.key = items[first[v]].key};
      for (std::size_t i = first[v]; i < first[v + 1]; ++i) sum.add(fetch(items[i].index));
      sum.write(out, v);
    }
  });
}

template <class Fetch>
Surfels sum_voxels(const CellGrid& grid, const std::vector<KeyedIndex>& items, const Fetch& fetch) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i == 0 || items[i].key != items[i - 1].key) first.push_back(i);
  Surfels out;
  out.grid = grid;
  out.resize(first.size());
  first.push_back(items.size());
  sum_runs(items, first, fetch, out);
  return out;
}

float confidence_of(const CameraPoints& camera, std::size_t i) {
  return camera.confidence.empty() ? 1.0F : camera.confidence[i];
}

bool usable_point(const CameraPoints& camera, std::size_t i) {
  const float confidence = confidence_of(camera, i);
  return camera.points_m[i].allFinite() && std::isfinite(confidence) && confidence > 0;
}

Eigen::AlignedBox3d box_of(const CameraPoints& camera) {
  std::vector<Eigen::AlignedBox3d> boxes_m((camera.points_m.size() + kPointGrain - 1) / kPointGrain);
  parallel_for(camera.points_m.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (usable_point(camera, i)) boxes_m[begin / kPointGrain].extend(camera.points_m[i].cast<double>());
  });
  Eigen::AlignedBox3d whole_m;
  for (const Eigen::AlignedBox3d& box_m : boxes_m) whole_m.extend(box_m);
  return whole_m;
}

std::vector<KeyedIndex> keyed_points(const CameraPoints& camera, const CellGrid& grid) {
  std::vector<KeyedIndex> items(camera.points_m.size());
  parallel_for(items.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      items[i] = {usable_point(camera, i) ? grid.key(camera.points_m[i].cast<double>()) : kNoKey, i};
  });
  return items;
}

VoxelSample sample_of(const CameraPoints& camera, std::size_t i, const CellGrid& grid) {
  const Vec3 point_m = camera.points_m[i].cast<double>();
  const Vec3 from_origin = point_m - grid.origin_m;
  const double confidence = confidence_of(camera, i);
  return {from_origin.x(), from_origin.y(), from_origin.z(),
          confidence,      confidence,      (camera.centre_m - point_m).normalized().cast<float>()};
}

// The sums of some voxels, found by their keys (open addressing).
class VoxelTable {
 public:
  VoxelSum& at(std::uint64_t key);
  std::vector<VoxelSum>& sums() { return sums_; }

 private:
  void grow();
  std::uint32_t& slot_of(std::uint64_t key);

  std::vector<VoxelSum> sums_;
  std::vector<std::uint32_t> slots_;  // 1 + place in sums_; 0 = free
};

// Returns the slot that holds the key, or else the free one where it belongs.
std::uint32_t& VoxelTable::slot_of(std::uint64_t key) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  for (std::uint64_t at = (key * kGoldenRatio) >> 32U;; ++at) {
    std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
    if (slot == 0 || sums_[slot - 1].key == key) return slot;
  }
}

void VoxelTable::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < sums_.size(); ++i) slot_of(sums_[i].key) = static_cast<std::uint32_t>(i + 1);
}

VoxelSum& VoxelTable::at(std::uint64_t key) {
  if (2 * sums_.size() >= slots_.size()) grow();
  std::uint32_t& slot = slot_of(key);
  if (slot == 0) {
    sums_.push_back({.key = key});
    slot = static_cast<std::uint32_t>(sums_.size());
  }
  return sums_[slot - 1];
}

Vec3 relative_position(const Surfels& surfels, std::size_t i) {
  return {surfels.x_m[i], surfels.y_m[i], surfels.z_m[i]};
}

VoxelSample sample_of(const Surfels& surfels, std::size_t i, const Vec3& shift_m) {
  return {surfels.x_m[i] + shift_m.x(), surfels.y_m[i] + shift_m.y(),
          surfels.z_m[i] + shift_m.z(), surfels.weight[i],
          surfels.confidence[i],        surfels.towards_camera[i]};
}

}  // namespace

std::uint64_t CellGrid::key(const Vec3& point_m) const {
  const auto cell = [&](int axis) {
    return static_cast<std::uint32_t>(std::max(0.0, (point_m[axis] - origin_m[axis]) / cell_m));
  };
  return morton_encode(cell(0), cell(1), cell(2));
}

CellGrid make_cell_grid(const Vec3& low_m, const Vec3& high_m, double cell_m) {
  CellGrid grid;
  grid.cell_m = cell_m;
  for (int axis = 0; axis < 3; ++axis) {
    grid.origin_m[axis] = std::floor(low_m[axis] / cell_m) * cell_m;
    if (!((high_m[axis] - grid.origin_m[axis]) / cell_m < double{1 << kMortonBits}))
      throw method_error("fusion: the points span more than 2^21 voxels of {:f} mm", cell_m * 1000);
  }
  return grid;
}

void sort_keys(std::vector<KeyedIndex>& items) {
  std::uint64_t all = 0;
  for (const KeyedIndex& item : items) all |= item.key;
  const std::vector<std::size_t> first = put_in_buckets(items, bucket_shift(all));
  parallel_for(kBuckets, 1, [&](std::size_t bucket, std::size_t) {
    std::sort(items.begin() + static_cast<std::ptrdiff_t>(first[bucket]),
              items.begin() + static_cast<std::ptrdiff_t>(first[bucket + 1]),
              [](const KeyedIndex& a, const KeyedIndex& b) {
                return a.key != b.key ? a.key < b.key : a.index < b.index;
              });
  });
}

MortonCells make_cells(std::span<const std::uint64_t> keys, int level) {
  MortonCells cells;
  cells.level = level;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i] >> (3 * level);
    if (!cells.keys.empty() && cells.keys.back() == key) continue;
    cells.keys.push_back(key);
    cells.first.push_back(static_cast<std::uint32_t>(i));
  }
  cells.first.push_back(static_cast<std::uint32_t>(keys.size()));
  return cells;
}

void neighbour_runs(const MortonCells& cells, std::uint64_t key, int from, int to,
                    std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs) {
  runs.clear();
  const auto [x, y, z] = morton_decode(key);
  const auto low = [&](std::uint32_t c) { return c - std::min(c, static_cast<std::uint32_t>(to)); };
  const auto high = [&](std::uint32_t c) {
    return std::min(c + static_cast<std::uint32_t>(to), (1U << kMortonBits) - 1);
  };
  const auto apart = [](std::uint32_t a, std::uint32_t b) { return static_cast<int>(a < b ? b - a : a - b); };
  for (std::uint32_t k = low(z); k <= high(z); ++k)
    for (std::uint32_t j = low(y); j <= high(y); ++j)
      for (std::uint32_t i = low(x); i <= high(x); ++i) {
        if (std::max({apart(i, x), apart(j, y), apart(k, z)}) < from) continue;
        const std::uint64_t near_key = morton_encode(i, j, k);
        const auto found = std::ranges::lower_bound(cells.keys, near_key);
        if (found == cells.keys.end() || *found != near_key) continue;
        const auto at = static_cast<std::size_t>(found - cells.keys.begin());
        runs.emplace_back(cells.first[at], cells.first[at + 1]);
      }
}

void Surfels::resize(std::size_t count) {
  keys.resize(count);
  for (std::vector<float>* values : {&x_m, &y_m, &z_m, &weight, &confidence}) values->resize(count);
  towards_camera.resize(count);
}

// One camera after another, so that the points of one are in memory at a time.
Surfels gather_voxels(const CameraPointSource& source, double voxel_m) {
  Eigen::AlignedBox3d whole_m;
  for (std::size_t c = 0; c < source.cameras; ++c) whole_m.extend(box_of(source.points_of(c)));
  if (whole_m.isEmpty()) return {};
  const CellGrid grid = make_cell_grid(whole_m.min(), whole_m.max(), voxel_m);
  const int shift = bucket_shift(grid.key(whole_m.max()));  // keys grow with each coordinate
  std::vector<VoxelTable> buckets(kBuckets);
  for (std::size_t c = 0; c < source.cameras; ++c) {
    const CameraPoints camera = source.points_of(c);
    std::vector<KeyedIndex> items = keyed_points(camera, grid);
    const std::vector<std::size_t> first = put_in_buckets(items, shift);
    parallel_for(kBuckets, 1, [&](std::size_t bucket, std::size_t) {
      for (std::size_t i = first[bucket]; i < first[bucket + 1]; ++i)
        buckets[bucket].at(items[i].key).add(sample_of(camera, items[i].index, grid));
    });
  }
  Surfels out;
  out.grid = grid;
  std::vector<std::size_t> first(1, 0);
  for (VoxelTable& bucket : buckets) first.push_back(first.back() + bucket.sums().size());
  out.resize(first.back());
  parallel_for(kBuckets, 1, [&](std::size_t bucket, std::size_t) {
    std::vector<VoxelSum>& sums = buckets[bucket].sums();
    std::ranges::sort(sums, {}, &VoxelSum::key);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].write(out, first[bucket] + i);
  });
  return out;
}

Surfels regroup(const Surfels& moved) {
  if (moved.count() == 0) return {};
  Eigen::AlignedBox3d box_m;
  for (std::size_t i = 0; i < moved.count(); ++i) box_m.extend(relative_position(moved, i));
  const Vec3 origin_m = moved.grid.origin_m;
  const CellGrid grid = make_cell_grid(origin_m + box_m.min(), origin_m + box_m.max(), moved.grid.cell_m);
  std::vector<KeyedIndex> items(moved.count());
  parallel_for(moved.count(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      items[i] = {grid.key(origin_m + relative_position(moved, i)), i};
  });
  sort_keys(items);
  const Vec3 shift_m = origin_m - grid.origin_m;
  return sum_voxels(grid, items, [&](std::uint64_t i) { return sample_of(moved, i, shift_m); });
}

Surfels coarsen(const Surfels& fine, int level) {
  std::vector<KeyedIndex> items(fine.count());
  for (std::size_t i = 0; i < fine.count(); ++i) items[i] = {fine.keys[i] >> (3 * level), i};
  CellGrid grid = fine.grid;
  grid.cell_m = std::ldexp(grid.cell_m, level);
  return sum_voxels(grid, items, [&](std::uint64_t i) { return sample_of(fine, i, Vec3::Zero()); });
}

// Finds the smallest cells that hold eight points on average. A surface covers about one face area of each
// cell it crosses.
double spacing_m(const Surfels& surfels) {
  constexpr double kEnough = 8, kCovered = 0.8;
  double spacing = surfels.grid.cell_m;
  for (int level = 0; level < kMortonBits && surfels.count() > kEnough; ++level) {
    std::size_t cells = 1;
    for (std::size_t i = 1; i < surfels.count(); ++i)
      if (surfels.keys[i] >> (3 * level) != surfels.keys[i - 1] >> (3 * level)) ++cells;
    const double shared = static_cast<double>(surfels.count()) / static_cast<double>(cells);
    spacing = std::ldexp(surfels.grid.cell_m, level) * std::sqrt(kCovered / shared);
    if (shared >= kEnough) break;
  }
  return std::max(spacing, surfels.grid.cell_m);
}

}  // namespace aqbench
