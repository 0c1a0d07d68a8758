#include "metrics/completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/grouping.h"
#include "core/parallel.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/scored_points.h"

namespace aqbench {
namespace {

void keep_inside(SurfaceSamples& samples, const Crop& crop) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.positions_m.size(); ++i) {
    if (!crop.contains(samples.positions_m[i])) continue;
    samples.positions_m[kept] = samples.positions_m[i];
    if (!samples.weights.empty()) samples.weights[kept] = samples.weights[i];
    ++kept;
  }
  samples.positions_m.resize(kept);
  if (!samples.weights.empty()) samples.weights.resize(kept);
}

// The area of a group of samples, and the part of it that the cloud reaches.
struct GroupArea {
  double area_m2 = 0, reached_m2 = 0;

  // Returns the percentage that is reached; nullopt for a group without area.
  std::optional<double> completeness_pct() const { return area_share_pct(reached_m2, area_m2); }
};

// Returns the areas of groups 0 to groups - 1, where sample i belongs to group group_of(i), as reached within
// kHeadlineToleranceM.
template <class GroupOf>
std::vector<GroupArea> areas_by_group(const Completeness& completeness, std::size_t groups,
                                      const GroupOf& group_of) {
  std::vector<GroupArea> areas(groups);
  for (std::size_t i = 0; i < completeness.distance_m.size(); ++i) {
    GroupArea& group = areas[group_of(i)];
    const double weight_m2 = completeness.samples->weight_m2(i);
    group.area_m2 += weight_m2;
    if (completeness.distance_m[i] <= within_m(kHeadlineToleranceM)) group.reached_m2 += weight_m2;
  }
  return areas;
}

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

void fill_errors(TileGrid& grid, std::span<const double> signed_error_m, std::span<const TileGroup> groups) {
  parallel_for(grid.tiles.size(), 64, [&](std::size_t begin, std::size_t end) {
    std::vector<double> errors_m;
    for (std::size_t t = begin; t < end; ++t) {
      errors_m.clear();
      for (const TileGroup& group : groups) {
        const auto of_tile = signed_error_m.subspan(group.begin + group.first[t],
                                                    std::size_t{group.first[t + 1]} - group.first[t]);
        errors_m.insert(errors_m.end(), of_tile.begin(), of_tile.end());
      }
      ErrorTile& tile = grid.tiles[t];
      tile.points = errors_m.size();
      if (errors_m.empty()) continue;
      ExactSum sum;
      sum.add(errors_m);
      tile.signed_mean_mm = 1000 * sum.value() / static_cast<double>(errors_m.size());
      tile.nmad_mm = 1000 * nmad_in_place(errors_m);
    }
  });
}

std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

SurfaceSamples samples_inside(const Surface& truth, double spacing_m, std::uint64_t seed, const Crop& crop) {
  SurfaceSamples samples = truth.stratified_samples(spacing_m, seed);
  if (!crop.parts.empty()) keep_inside(samples, crop);
  return samples;
}

std::optional<Completeness> measure_completeness(const CloudBlocks& cloud, std::size_t longest,
                                                 const Surface& truth, double spacing_m, std::uint64_t seed,
                                                 const Crop& crop,
                                                 std::shared_ptr<const SurfaceSamples> samples) {
  std::optional<Completeness> measured;
  std::vector<double> to_block_m;
  cloud.read(longest, [&](const CloudBlock& block) {
    const NearestNeighbourIndex index(block.points_m);
    if (index.size() == 0) return;
    if (!measured) {
      if (!samples) samples = std::make_shared<SurfaceSamples>(truth.stratified_samples(spacing_m, seed));
      measured.emplace().is_thinned = samples->positions_m.size() < samples->of_points;
      if (!crop.parts.empty()) {
        SurfaceSamples inside = *samples;
        keep_inside(inside, crop);
        samples = std::make_shared<SurfaceSamples>(std::move(inside));
      }
      measured->samples = samples;
      measured->distance_m.resize(samples->positions_m.size());
      index.distances(samples->positions_m, measured->distance_m);
      return;
    }
    std::vector<double>& distance_m = measured->distance_m;
    to_block_m.resize(distance_m.size());
    index.distances(samples->positions_m, to_block_m);
    for (std::size_t i = 0; i < distance_m.size(); ++i)
      distance_m[i] = std::min(distance_m[i], to_block_m[i]);
  });
  return measured;
}

CompletenessSummary summarize_completeness(const Completeness& completeness) {
  const SurfaceSamples& samples = *completeness.samples;
  double sum = 0, total_m2 = 0;
  for (std::size_t i = 0; i < completeness.distance_m.size(); ++i) {
    sum += completeness.distance_m[i] * samples.weight_m2(i);
    total_m2 += samples.weight_m2(i);
  }
  const std::vector<double> percentiles_m =
      samples.weights.empty() ? weighted_percentiles(completeness.distance_m, samples.each_m2, {0.5, 0.95})
                              : weighted_percentiles(completeness.distance_m, samples.weights, {0.5, 0.95});
  return {sum / total_m2, percentiles_m[0], percentiles_m[1], total_m2};
}

TileGrid empty_tiles(const Patch& patch, double tile_m) {
  TileGrid grid;
  grid.columns = tile_count(patch.x_max_m - patch.x_min_m, tile_m);
  grid.rows = tile_count(patch.y_max_m - patch.y_min_m, tile_m);
  grid.tile_mm = tile_m * 1000;
  grid.x_min_m = patch.x_min_m;
  grid.y_min_m = patch.y_min_m;
  grid.x_max_m = patch.x_max_m;
  grid.y_max_m = patch.y_max_m;
  if (static_cast<double>(grid.columns) * grid.rows > 1e6)
    throw usage_error("tile_m: {} m gives more than a million tiles", tile_m);
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column)
      grid.tiles.push_back({column, row, 0, kNoValue, kNoValue, kNoValue});
  }
  return grid;
}

TileGroup group_by_tile(const TileGrid& grid, std::span<const Vec3> points_m,
                        std::span<const std::uint32_t> index, std::vector<double>& signed_error_m) {
  std::vector<std::uint32_t> tile(index.size());
  parallel_for(tile.size(), kSumGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      tile[i] = static_cast<std::uint32_t>(tile_of(grid, points_m[index[i]]));
  });
  std::vector<double> grouped_m(tile.size());
  TileGroup group{0, group_in_order(
                         tile.size(), grid.tiles.size(), [&](std::size_t i) { return tile[i]; },
                         [&](std::size_t i, std::uint32_t place) { grouped_m[place] = signed_error_m[i]; })};
  signed_error_m = std::move(grouped_m);
  return group;
}

void fill_tiles(TileGrid& grid, std::span<const double> signed_error_m, std::span<const TileGroup> groups,
                const Completeness* completeness) {
  fill_errors(grid, signed_error_m, groups);
  if (completeness == nullptr) return;
  const std::vector<GroupArea> areas = areas_by_group(*completeness, grid.tiles.size(), [&](std::size_t i) {
    return tile_of(grid, completeness->samples->positions_m[i]);
  });
  for (std::size_t t = 0; t < grid.tiles.size(); ++t)
    if (const auto reached_pct = areas[t].completeness_pct()) grid.tiles[t].completeness_pct = *reached_pct;
}

std::string tiles_to_csv(const TileGrid& grid) {
  std::string csv =
      "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n";
  const double left_mm = grid.x_min_m * 1000, top_mm = grid.y_min_m * 1000;
  for (const ErrorTile& tile : grid.tiles) {
    const bool last_column = tile.column == grid.columns - 1, last_row = tile.row == grid.rows - 1;
    fmt::format_to(std::back_inserter(csv), "{},{},{:.10g},{:.10g},{},{},{},{},{:.10g},{:.10g}\n",
                   tile.column, tile.row, left_mm + tile.column * grid.tile_mm,
                   top_mm + tile.row * grid.tile_mm, tile.points, field(tile.signed_mean_mm),
                   field(tile.nmad_mm), field(tile.completeness_pct),
                   last_column ? grid.x_max_m * 1000 : left_mm + (tile.column + 1) * grid.tile_mm,
                   last_row ? grid.y_max_m * 1000 : top_mm + (tile.row + 1) * grid.tile_mm);
  }
  return csv;
}

std::vector<ViewShare> completeness_by_views(const Completeness& completeness, std::span<const int> views) {
  if (views.empty()) return {};
  const auto rows = static_cast<std::size_t>(std::max(0, *std::ranges::max_element(views))) + 1;
  const std::vector<GroupArea> areas = areas_by_group(
      completeness, rows, [&](std::size_t i) { return static_cast<std::size_t>(std::max(0, views[i])); });
  double total_m2 = 0;
  for (std::size_t i = 0; i < views.size(); ++i) total_m2 += completeness.samples->weight_m2(i);
  std::vector<ViewShare> shares;
  for (std::size_t row = 0; row < rows; ++row)
    shares.push_back({.views = static_cast<int>(row),
                      .surface_pct = 100 * areas[row].area_m2 / total_m2,
                      .completeness_pct = areas[row].completeness_pct()});
  return shares;
}

std::string views_to_csv(std::span<const ViewShare> rows) {
  std::string csv = "views,surface_pct,completeness_2mm_pct\n";
  for (const ViewShare& row : rows)
    csv += fmt::format("{},{:.6g},{}\n", row.views, row.surface_pct,
                       row.completeness_pct ? fmt::format("{:.6g}", *row.completeness_pct) : "");
  return csv;
}

}  // namespace aqbench
