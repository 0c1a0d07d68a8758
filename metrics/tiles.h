#pragma once
// Errors by place: square tiles of the patch, in world x and y.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "metrics/completeness.h"
#include "metrics/scored_points.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

inline constexpr double kHeadlineToleranceM = 0.002;  // 1 % of the 200 mm of water

// One tile of the patch, in world x and y.
struct ErrorTile {
  int column = 0, row = 0;
  std::size_t points = 0;
  double signed_mean_mm = 0, nmad_mm = 0;  // NaN when points == 0
  double completeness_pct = 0;             // at the headline tolerance, 2 mm; NaN if the cloud is empty
};

struct TileGrid {
  int columns = 0, rows = 0;
  double tile_mm = 0;
  double x_min_m = 0, y_min_m = 0;  // corner of tile (0, 0); the last column and row may be cut by the patch
  std::vector<ErrorTile> tiles;     // row-major, rows along y
};

// `completeness` is null for an empty cloud. Throws Error(usage) for more than a million tiles.
TileGrid make_tiles(std::span<const Vec3> points_m, const ScoredPoints& scored,
                    const Completeness* completeness, const Patch& patch, double tile_m);

// With a header line; an empty field where a tile has no value.
std::string tiles_to_csv(const TileGrid& grid);

}  // namespace aqbench
