#include "pipeline/fusion/morton_cells.h"

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

}  // namespace

std::uint64_t CellGrid::key(const Vec3& point_m) const {
  const auto cell = [&](int axis) {
    return static_cast<std::uint32_t>(std::max(0.0, std::floor((point_m[axis] - origin_m[axis]) / cell_m)));
  };
  return morton_encode(cell(0), cell(1), cell(2));
}

CellGrid make_cell_grid(const Vec3& low_m, const Vec3& high_m, double cell_m) {
  CellGrid grid;
  grid.cell_m = cell_m;
  for (int axis = 0; axis < 3; ++axis) {
    grid.origin_m[axis] = std::floor(low_m[axis] / cell_m) * cell_m;
    if (!((high_m[axis] - grid.origin_m[axis]) / cell_m < double{1 << kMortonBits}))
      throw Error(ErrorKind::method, "fusion: the points span more than 2^21 voxels of " +
                                         std::to_string(cell_m * 1000) + " mm");
  }
  return grid;
}

// Buckets by the highest bits first; one thread sorts each bucket. Counts per chunk make the scatter
// independent of the thread of a chunk.
void sort_keys(std::vector<KeyedIndex>& items) {
  std::uint64_t all = 0;
  for (const KeyedIndex& item : items) all |= item.key;
  const int shift = std::max(0, static_cast<int>(std::bit_width(all)) - kBucketBits);
  constexpr std::size_t kBuckets = 1 << kBucketBits;
  const std::size_t chunks = (items.size() + kKeyGrain - 1) / kKeyGrain;
  std::vector<std::uint32_t> counts(chunks * kBuckets, 0);
  parallel_for(items.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const count = &counts[begin / kKeyGrain * kBuckets];
    for (std::size_t i = begin; i < end; ++i) ++count[items[i].key >> shift];
  });
  std::vector<std::size_t> places(chunks * kBuckets);
  std::vector<std::size_t> bucket_first(kBuckets + 1, 0);
  std::size_t total = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    bucket_first[bucket] = total;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      places[chunk * kBuckets + bucket] = total;
      total += counts[chunk * kBuckets + bucket];
    }
  }
  bucket_first[kBuckets] = total;
  std::vector<KeyedIndex> sorted(items.size());
  parallel_for(items.size(), kKeyGrain, [&](std::size_t begin, std::size_t end) {
    std::size_t* const place = &places[begin / kKeyGrain * kBuckets];
    for (std::size_t i = begin; i < end; ++i) sorted[place[items[i].key >> shift]++] = items[i];
  });
  parallel_for(kBuckets, 1, [&](std::size_t bucket, std::size_t) {
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(bucket_first[bucket]),
              sorted.begin() + static_cast<std::ptrdiff_t>(bucket_first[bucket + 1]),
              [](const KeyedIndex& a, const KeyedIndex& b) {
                return a.key != b.key ? a.key < b.key : a.index < b.index;
              });
  });
  items = std::move(sorted);
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

}  // namespace aqbench
