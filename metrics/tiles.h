#pragma once
// Errors by place: the patch in square tiles, in world x and y.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "metrics/completeness.h"
#include "metrics/scored_points.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The tolerance of tables by place and by views: 1 % of the 200 mm of water.
inline constexpr double kHeadlineToleranceM = 0.002;  // 1 % of the 200 mm of water

// The errors in one tile.
struct ErrorTile {
  int column = 0, row = 0;
  std::size_t points = 0;
  double signed_mean_mm = 0, nmad_mm = 0;  // NaN when points == 0
  double completeness_pct = 0;             // at the headline tolerance, 2 mm; NaN if the cloud is empty
};

// All tiles of a patch.
struct TileGrid {
  int columns = 0, rows = 0;
  double tile_mm = 0;
  double x_min_m = 0, y_min_m = 0;  // corner of tile (0, 0); the last column and row may be cut by the patch
  std::vector<ErrorTile> tiles;     // row-major, rows along y
};

// Sorts the scored points into tiles. `completeness` is null for an empty cloud. Throws Error(usage) for more
// than a million tiles.
TileGrid make_tiles(std::span<const Vec3> points_m, const ScoredPoints& scored,
                    const Completeness* completeness, const Patch& patch, double tile_m);

// Returns the tiles as CSV with a header line; a field without a value is empty.
std::string tiles_to_csv(const TileGrid& grid);

}  // namespace aqbench
