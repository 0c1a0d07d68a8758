#pragma once
// Points sorted by cell. Cells are cubes numbered along a Morton curve (core/morton.h), so larger cells, by
// any power of two, are runs of the same order.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The number of bits of each coordinate of a cell.
inline constexpr int kMortonBits = 21;

// A grid of cubic cells.
struct CellGrid {
  Vec3 origin_m = Vec3::Zero();  // of cell (0, 0, 0)
  double cell_m = 0;

  // Returns the number of a point's cell; points below the lowest cells get the nearest one.
  std::uint64_t key(const Vec3& point_m) const;
};

// Makes a grid that covers the box. Its origin is a multiple of the cell size, so a few more points do not
// move the cells. Throws Error(method) if the box is longer than 2^21 cells.
CellGrid make_cell_grid(const Vec3& low_m, const Vec3& high_m, double cell_m);

// An item and the number of its cell.
struct KeyedIndex {
  std::uint64_t key;
  std::uint64_t index;
};

// Sorts by key, then by index. Uses parallel_for. No two items are equal, so the result is the same for any
// thread count.
void sort_keys(std::vector<KeyedIndex>& items);

// Runs of sorted items that have the same key >> (3 * level).
struct MortonCells {
  int level = 0;
  std::vector<std::uint64_t> keys;   // of the occupied cells, ascending
  std::vector<std::uint32_t> first;  // items of cell c: first[c] to first[c + 1] - 1; one more than keys

  std::size_t count() const { return keys.size(); }
};

// Finds the runs. `keys` must ascend; at most 2^32 - 1 of them.
MortonCells make_cells(std::span<const std::uint64_t> keys, int level);

// Fills `runs` with the items [first, second) of the occupied cells that are `from` to `to` cells away from
// the cell of `key` (in the coordinate where they are farthest), in z, y, x order. `key` is at the cells'
// level; its cell may be empty.
void neighbour_runs(const MortonCells& cells, std::uint64_t key, int from, int to,
                    std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs);

}  // namespace aqbench
