#include "reports/tables/tile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "reports/tables/case_table.h"

namespace aqbench {
namespace {

constexpr std::string_view kTilesHeader =
    "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm";
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kTile_mm = 10;        // where the metric's name says no other size
constexpr double kMaxTiles = 999999;   // there is no more room in a row or column
constexpr double kSumRounding = 1e-7;  // of sums over many tiles
constexpr double kNmadPerMad = 1.4826;

struct Tile {
  double x_mm = 0, y_mm = 0, points = 0, mean_mm = 0, nmad_mm = 0;
  std::optional<double> complete_pct;
};

struct Grid {
  std::size_t columns = 0;
  std::vector<Tile> tiles;
};

// Returns the tile of a row; nullopt for one that aqbench does not write.
std::optional<Tile> tile_of(std::span<const std::string_view> fields) {
  const auto x_mm = printed_number(fields[2], Digits::six), y_mm = printed_number(fields[3], Digits::six),
             points = printed_number(fields[4], Digits::shortest),
             mean_mm = printed_number(fields[5], Digits::shortest),
             nmad_mm = printed_number(fields[6], Digits::shortest),
             complete_pct = printed_number(fields[7], Digits::shortest);
  if (!x_mm || !y_mm || !points || *points < 0 || *points > 1e15 || std::floor(*points) != *points)
    return std::nullopt;
  if (*points > 0 ? !mean_mm || !nmad_mm || *nmad_mm < 0 : !fields[5].empty() || !fields[6].empty())
    return std::nullopt;
  if (*points == 1 && *nmad_mm != 0) return std::nullopt;
  if (complete_pct ? *complete_pct < 0 || *complete_pct > 100 * (1 + kSumRounding) : !fields[7].empty())
    return std::nullopt;
  return Tile{*x_mm, *y_mm, *points, mean_mm.value_or(0), nmad_mm.value_or(0), complete_pct};
}

// Reads rows that are one after the other those of a grid, along x first; says what is wrong otherwise.
std::string read_grid(const CaseTable& table, Grid& grid) {
  while (grid.columns < table.rows() && table.fields_of(grid.columns)[1] == "0") ++grid.columns;
  if (grid.columns == 0 || table.rows() % grid.columns != 0) return "is no grid of tiles";
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto fields = table.fields_of(i);
    if (fields[0] != fmt::format("{}", i % grid.columns) || fields[1] != fmt::format("{}", i / grid.columns))
      return fmt::format("line {}: is not the next tile of a grid", i + 2);
    const auto tile = tile_of(fields);
    if (!tile) return fmt::format("line {}: is no tile", i + 2);
    grid.tiles.push_back(*tile);
  }
  return {};
}

// How far apart two places are that were printed with six digits.
ErrorRange printed_distance(double from_mm, double to_mm) {
  const ErrorRange from = range_of_six_digits(from_mm), to = range_of_six_digits(to_mm);
  return {to.low - from.high, to.high - from.low};
}

// Returns the size that a metric's name tells: 10 of "tile_empty_pct", 20 of "tile_20mm_empty_pct".
std::optional<double> tile_size_mm(const Record& record, std::string& lead) {
  constexpr std::string_view kLead = "tile_", kEnd = "empty_pct", kSize = "mm_";
  for (const auto& [name, metric] : record.metrics) {
    std::string_view text = name;
    if (!text.starts_with(kLead) || !text.ends_with(kEnd)) continue;
    text.remove_prefix(kLead.size());
    text.remove_suffix(kEnd.size());
    lead = fmt::format("{}{}", kLead, text);
    if (text.empty()) return kTile_mm;
    if (text.ends_with(kSize)) text.remove_suffix(kSize.size());
    return parse_double(text);
  }
  return std::nullopt;
}

// Tiles are squares of one size, that which the metric's name tells.
void check_places(const Grid& grid, const std::optional<double>& size_mm, RecordValues& values) {
  const Tile& first = grid.tiles.front();
  const std::size_t last_row = grid.tiles.size() / grid.columns - 1;
  double step_mm = size_mm.value_or(kTile_mm);
  if (!size_mm && grid.columns > 1)
    step_mm = (grid.tiles[grid.columns - 1].x_mm - first.x_mm) / static_cast<double>(grid.columns - 1);
  else if (!size_mm && last_row > 0)
    step_mm = (grid.tiles.back().y_mm - first.y_mm) / static_cast<double>(last_row);
  // A size that was taken from the table is rounded itself, as the name's is, which has six digits, too.
  const auto is_at = [&](double from_mm, double to_mm, std::size_t steps) {
    const ErrorRange between = printed_distance(from_mm, to_mm);
    const double expected_mm = static_cast<double>(steps) * step_mm,
                 slack_mm = 1e-5 * (std::abs(expected_mm) + std::abs(from_mm)) + 1e-9;
    return expected_mm >= between.low - slack_mm && expected_mm <= between.high + slack_mm;
  };
  for (std::size_t i = 0; i < grid.tiles.size(); ++i)
    if (!is_at(first.x_mm, grid.tiles[i].x_mm, i % grid.columns) ||
        !is_at(first.y_mm, grid.tiles[i].y_mm, i / grid.columns))
      return values.report(fmt::format("line {}: lies elsewhere than the next tile", i + 2));
}

// Returns an option of the record's scene, millimetres; nullopt where it has none.
std::optional<double> scene_option_mm(const Record& record, std::string_view name) {
  const std::string full = fmt::format("{}.{}", record.scene, name);
  const auto found =
      std::ranges::find(record.options, full, [](const auto& option) { return option.first.text(); });
  if (found == record.options.end()) return std::nullopt;
  const auto value_m = parse_double(to_string(found->second));
  return value_m ? std::optional(1000 * *value_m) : std::nullopt;
}

// The tiles of a scene with a name cover its patch, which its options tell. The last column and row may be
// cut; a size of its own stands in the metric's name with six digits.
void check_patch(const Grid& grid, const std::optional<double>& size_mm, RecordValues& values) {
  if (!size_mm) return;
  const double slack = *size_mm == kTile_mm ? 1e-12 : 1e-5;
  const auto check = [&](const char* low, const char* high, double first_mm, std::size_t tiles) {
    const auto low_mm = scene_option_mm(values.record(), low),
               high_mm = scene_option_mm(values.record(), high);
    if (!low_mm || !high_mm) return;
    const ErrorRange first = range_of_six_digits(first_mm);
    const double far_mm = 1e-6 * (1 + std::abs(*low_mm)), count = (*high_mm - *low_mm) / *size_mm;
    if (first.low > *low_mm + far_mm || first.high < *low_mm - far_mm)
      values.report(fmt::format("begins at {} mm, the scene's {} is {:.6g} mm", first_mm, low, *low_mm));
    // A tile that is narrower than rounding is none.
    const double least = std::max(1.0, std::ceil(count * (1 - slack) - 1.1e-9)),
                 most = std::max(1.0, std::ceil(count * (1 + slack) - 0.9e-9));
    const auto told = static_cast<double>(tiles);
    if (count < kMaxTiles && (told < least || told > most))
      values.report(fmt::format("has {} tiles from {} to {}", tiles, low, high));
  };
  check("x_min_m", "x_max_m", grid.tiles.front().x_mm, grid.columns);
  check("y_min_m", "y_max_m", grid.tiles.front().y_mm, grid.tiles.size() / grid.columns);
}

// Errors in a tile lie around its mean, so that their sizes and squares are at least those of the mean; and
// no spread around it is less than a quarter of the square of their median distance from their median.
void check_errors(const Grid& grid, RecordValues& values) {
  double points = 0, sum_mm = 0, sum_of_sizes_mm = 0, squares_mm2 = 0, spread_mm2 = 0, worst_mm = 0;
  for (const Tile& tile : grid.tiles) {
    const double mad_mm = tile.nmad_mm / kNmadPerMad;
    points += tile.points;
    sum_mm += tile.points * tile.mean_mm;
    sum_of_sizes_mm += tile.points * std::abs(tile.mean_mm);
    squares_mm2 += tile.points * tile.mean_mm * tile.mean_mm;
    spread_mm2 += tile.points * 0.25 * mad_mm * mad_mm;
    worst_mm = std::max(worst_mm, std::abs(tile.mean_mm));
  }
  if (const auto scored = values.scored_points(); scored && points != *scored)
    values.report(fmt::format("holds {} points, the record scores {}", points, *scored));
  if (points == 0) return;
  const auto at_least = [&](const char* metric, double least) {
    values.compare(metric, {least, kNoLimit}, kSumRounding * least);
  };
  at_least("accuracy_mean_mm", sum_of_sizes_mm / points);
  at_least("accuracy_rmse_mm", std::sqrt((squares_mm2 + spread_mm2) / points));
  at_least("accuracy_max_mm", worst_mm);
  values.compare("bias_mean_mm", {sum_mm / points, sum_mm / points}, kSumRounding * sum_of_sizes_mm / points);
}

}  // namespace

void check_tiles(std::string_view text, RecordValues& values) {
  const CaseTable table = read_table(text);
  std::string problem = form_problem(text, table, kTilesHeader);
  Grid grid;
  if (problem.empty()) problem = read_grid(table, grid);
  if (!problem.empty()) return values.report(std::move(problem));
  std::string lead;
  const std::optional<double> size_mm = tile_size_mm(values.record(), lead);
  check_places(grid, size_mm, values);
  check_patch(grid, size_mm, values);
  double worst_mm = 0, empty = 0;
  std::vector<double> complete_pct;
  for (const Tile& tile : grid.tiles) {
    worst_mm = std::max(worst_mm, std::abs(tile.mean_mm));
    empty += tile.points == 0 ? 1 : 0;
    if (tile.complete_pct) complete_pct.push_back(*tile.complete_pct);
  }
  if (lead.empty()) lead = "tile_";
  values.compare(lead + "worst_abs_bias_mm", worst_mm);
  values.compare(lead + "empty_pct", 100 * empty / static_cast<double>(grid.tiles.size()));
  check_errors(grid, values);
  // The whole lies between its parts, however large they are.
  if (!complete_pct.empty())
    values.compare("completeness_2mm_pct", {std::ranges::min(complete_pct), std::ranges::max(complete_pct)},
                   kSumRounding * 100);
}

}  // namespace aqbench
