#include "metrics/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/exact_sum.h"
#include "metrics/order_statistics.h"

namespace aqbench {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

int tile_count(double length_m, double tile_m) {
  const double count = std::ceil(length_m / tile_m - 1e-9);  // 0.5 / 0.01 may come out above 50
  return static_cast<int>(std::clamp(count, 1.0, 1e6));
}

std::size_t tile_of(const TileGrid& grid, const Vec3& position_m) {
  const double tile_m = grid.tile_mm / 1000;
  const int column = static_cast<int>((position_m.x() - grid.x_min_m) / tile_m);
  const int row = static_cast<int>((position_m.y() - grid.y_min_m) / tile_m);
  return static_cast<std::size_t>(std::clamp(row, 0, grid.rows - 1)) *
             static_cast<std::size_t>(grid.columns) +
         static_cast<std::size_t>(std::clamp(column, 0, grid.columns - 1));
}

// Errors grouped by tile: those of tile i are values[first[i], first[i + 1]).
struct Grouped {
  std::vector<std::size_t> first;
  std::vector<double> values;
};

Grouped group_by_tile(std::span<const Vec3> points_m, const ScoredPoints& scored, const TileGrid& grid) {
  std::vector<std::uint32_t> tile(scored.index.size());
  parallel_for(tile.size(), kSumGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      tile[i] = static_cast<std::uint32_t>(tile_of(grid, points_m[scored.index[i]]));
    }
  });
  Grouped grouped{std::vector<std::size_t>(grid.tiles.size() + 1), std::vector<double>(tile.size())};
  for (const std::uint32_t t : tile) ++grouped.first[t + 1];
  for (std::size_t t = 1; t < grouped.first.size(); ++t) grouped.first[t] += grouped.first[t - 1];
  std::vector<std::size_t> place(grouped.first.begin(), grouped.first.end() - 1);
  for (std::size_t i = 0; i < tile.size(); ++i) grouped.values[place[tile[i]]++] = scored.signed_error_m[i];
  return grouped;
}

void fill_errors(TileGrid& grid, Grouped& grouped) {
  parallel_for(grid.tiles.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      ErrorTile& tile = grid.tiles[t];
      const std::span<double> errors(grouped.values.data() + grouped.first[t],
                                     grouped.values.data() + grouped.first[t + 1]);
      tile.points = errors.size();
      if (errors.empty()) continue;
      ExactSum sum;
      sum.add(errors);
      tile.signed_mean_mm = 1000 * sum.value() / static_cast<double>(errors.size());
      tile.nmad_mm = 1000 * nmad_in_place(errors);
    }
  });
}

void fill_completeness(TileGrid& grid, const Completeness& completeness) {
  const std::vector<GroupArea> areas =
      areas_by_group(completeness, kHeadlineToleranceM, grid.tiles.size(),
                     [&](std::size_t i) { return tile_of(grid, completeness.samples.positions_m[i]); });
  for (std::size_t t = 0; t < grid.tiles.size(); ++t)
    if (const auto reached_pct = areas[t].completeness_pct()) grid.tiles[t].completeness_pct = *reached_pct;
}

std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

TileGrid make_tiles(std::span<const Vec3> points_m, const ScoredPoints& scored,
                    const Completeness* completeness, const Patch& patch, double tile_m) {
  TileGrid grid;
  grid.columns = tile_count(patch.x_max_m - patch.x_min_m, tile_m);
  grid.rows = tile_count(patch.y_max_m - patch.y_min_m, tile_m);
  grid.tile_mm = tile_m * 1000;
  grid.x_min_m = patch.x_min_m;
  grid.y_min_m = patch.y_min_m;
  if (static_cast<double>(grid.columns) * grid.rows > 1e6) {
    throw Error(ErrorKind::usage, fmt::format("tile_m: {} m gives more than a million tiles", tile_m));
  }
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      grid.tiles.push_back({column, row, 0, kNoValue, kNoValue, kNoValue});
    }
  }
  Grouped grouped = group_by_tile(points_m, scored, grid);
  fill_errors(grid, grouped);
  if (completeness != nullptr) fill_completeness(grid, *completeness);
  return grid;
}

std::string tiles_to_csv(const TileGrid& grid) {
  std::string csv = "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct\n";
  for (const ErrorTile& tile : grid.tiles) {
    fmt::format_to(std::back_inserter(csv), "{},{},{:.6g},{:.6g},{},{},{},{}\n", tile.column, tile.row,
                   grid.x_min_m * 1000 + tile.column * grid.tile_mm,
                   grid.y_min_m * 1000 + tile.row * grid.tile_mm, tile.points, field(tile.signed_mean_mm),
                   field(tile.nmad_mm), field(tile.completeness_pct));
  }
  return csv;
}

}  // namespace aqbench
