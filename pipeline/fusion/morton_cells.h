#pragma once
// Points in the order of the cells that they lie in. Cells are cubes numbered along a Morton curve, so that
// the cells of any power-of-two multiple of the size are runs of the same order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

inline constexpr int kMortonBits = 21;  // of each coordinate

std::uint64_t morton_encode(std::uint32_t x, std::uint32_t y, std::uint32_t z);
std::array<std::uint32_t, 3> morton_decode(std::uint64_t key);

struct CellGrid {
  Vec3 origin_m = Vec3::Zero();  // of cell (0, 0, 0)
  double cell_m = 0;

  // Of a point below the lowest cells: that of the nearest.
  std::uint64_t key(const Vec3& point_m) const;
};

// A grid that holds the box, its origin on a multiple of the cell: a few more points change no cell's place.
// Throws Error(method) if the box is longer than 2^21 cells.
CellGrid make_cell_grid(const Vec3& low_m, const Vec3& high_m, double cell_m);

struct KeyedIndex {
  std::uint64_t key;
  std::uint64_t index;
};

// Sorts by key, then index. Uses parallel_for; the order is total, so no thread count changes it.
void sort_keys(std::vector<KeyedIndex>& items);

// Runs of equal key >> (3 * level).
struct MortonCells {
  int level = 0;
  std::vector<std::uint64_t> keys;   // of the occupied cells, ascending
  std::vector<std::uint32_t> first;  // items of cell c: first[c] to first[c + 1] - 1; one more than keys

  std::size_t count() const { return keys.size(); }
};

// `keys` ascending. At most 2^32 - 1 items.
MortonCells make_cells(std::span<const std::uint64_t> keys, int level);

// Items [first, second) of the occupied cells at most `rings` cells from the cell of `key` (at the cells'
// level, occupied or not) in each coordinate, in the order of z, y, x.
void neighbour_runs(const MortonCells& cells, std::uint64_t key, int rings,
                    std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs);

}  // namespace aqbench
