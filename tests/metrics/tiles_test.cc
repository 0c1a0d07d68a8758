#include "metrics/completeness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::PlaneTruth;
using test::value_of;

Score score_of(const PointCloud& cloud, const Surface& truth, const ScoreOptions& options = {}) {
  return score_reconstruction({cloud, {}, {}}, truth, options);
}

TEST(Tiles, OfTheStandardPatchAreFiftyByThirty) {
  const PlaneTruth truth;
  const Score score = score_of(test::noisy_cloud(truth, 40000, 0.001, 0, 1), truth);
  EXPECT_EQ(score.tiles.columns, 50);
  EXPECT_EQ(score.tiles.rows, 30);
  EXPECT_EQ(score.tiles.tile_mm, 10);
  std::size_t points = 0;
  double completeness = 0;
  for (std::size_t i = 0; i < score.tiles.tiles.size(); ++i) {
    const ErrorTile& tile = score.tiles.tiles[i];
    EXPECT_EQ(static_cast<std::size_t>(tile.row * 50 + tile.column), i);
    points += tile.points;
    completeness += tile.completeness_pct / 1500;
  }
  EXPECT_EQ(points, 40000U);
  EXPECT_NEAR(completeness, value_of(score.metrics, "completeness_2mm_pct"), 1e-9);
}

TEST(Tiles, LocaliseABiasAndAHole) {
  const PlaneTruth truth;
  PointCloud cloud;
  for (double x = -0.2495; x < 0.25; x += 0.001) {
    for (double y = -0.1495; y < 0.15; y += 0.001) {
      const int column = static_cast<int>((x + 0.25) / 0.01), row = static_cast<int>((y + 0.15) / 0.01);
      if (column == 12 && row == 7) continue;  // a hole
      const double bias_m = column == 30 && row == 20 ? -0.004 : 0;
      cloud.points_m.push_back(truth.at(x, y) - Vec3(0, 0, bias_m));
    }
  }
  const Score score = score_of(cloud, truth);
  EXPECT_NEAR(value_of(score.metrics, "tile_worst_abs_bias_mm"), 4, 1e-9);
  EXPECT_NEAR(value_of(score.metrics, "tile_empty_pct"), 100.0 / 1500, 1e-12);
  const ErrorTile& biased = score.tiles.tiles[20 * 50 + 30];
  EXPECT_EQ(biased.points, 100U);
  EXPECT_NEAR(biased.signed_mean_mm, -4, 1e-9);
  EXPECT_NEAR(biased.nmad_mm, 0, 1e-9);
  const ErrorTile& hole = score.tiles.tiles[7 * 50 + 12];
  EXPECT_EQ(hole.points, 0U);
  EXPECT_TRUE(std::isnan(hole.signed_mean_mm));
  // What its neighbours' points, half a millimetre outside, reach within 2 mm: all but a square of 7 mm, less
  // or more the scallops between them.
  EXPECT_NEAR(hole.completeness_pct, 100 - 49, 3);
}

TEST(Tiles, MeasureTheSpreadWithinEach) {
  const PlaneTruth truth;
  const Score score = score_of(test::noisy_cloud(truth, 300000, 0.001, 0, 2), truth);
  double sum = 0;
  for (const ErrorTile& tile : score.tiles.tiles) sum += tile.nmad_mm / 1500;
  EXPECT_NEAR(sum, 1, 0.02);  // 200 points a tile: low by 1 % or so
}

TEST(Tiles, CutByThePatchAreKept) {
  const PlaneTruth truth(0, Patch{0, 0.025, 0, 0.01});
  const Score score = score_of(test::noisy_cloud(truth, 2500, 0, 0, 3), truth);
  EXPECT_EQ(score.tiles.columns, 3);
  EXPECT_EQ(score.tiles.rows, 1);
  EXPECT_NEAR(static_cast<double>(score.tiles.tiles[2].points), 500, 4 * std::sqrt(400.0));
  EXPECT_NEAR(score.tiles.tiles[2].completeness_pct, 100, 1);
}

TEST(Tiles, AsCsvLeaveEmptyFieldsWhereThereIsNoValue) {
  TileGrid grid{2,     1,     10,     -0.25,
                -0.15, -0.23, -0.144, {{0, 0, 3, -0.5, 0.25, 99.5}, {1, 0, 0, test::kNaN, test::kNaN, 12}}};
  EXPECT_EQ(
      tiles_to_csv(grid),
      "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n"
      "0,0,-250,-150,3,-0.5,0.25,99.5,-240,-144\n"
      "1,0,-240,-150,0,,,12,-230,-144\n");
}

// Also far from the origin, as of surveyed coordinates, where six digits name no tile.
TEST(Tiles, AsCsvEndWhereThePatchEnds) {
  const TileGrid grid = empty_tiles(Patch{500000, 500000.025, 4500000, 4500000.012}, 0.010);
  const std::string csv = tiles_to_csv(grid);
  EXPECT_NE(csv.find("\n2,1,500000020,4500000010,0,,,,500000025,4500000012\n"), std::string::npos) << csv;
}

TEST(Tiles, TooSmallAreRefused) {
  ScoreOptions options;
  options.tile_m = 1e-5;
  EXPECT_THROW(score_of(test::noisy_cloud(PlaneTruth(), 10, 0, 0, 4), PlaneTruth(), options), Error);
}

TEST(Views, SharesAndCompletenessByTheNumberOfCameras) {
  Completeness completeness;
  SurfaceSamples samples;
  samples.positions_m.resize(5);
  samples.weights = {1, 2, 3, 2, 2};
  completeness.samples = std::make_shared<SurfaceSamples>(samples);
  completeness.distance_m = {0.001, 0.002, 0.0021, 0.5, 0};
  const std::vector<int> views = {0, 1, 1, 3, 3};
  const auto rows = completeness_by_views(completeness, views);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(rows[0].surface_pct, 10);
  EXPECT_DOUBLE_EQ(*rows[0].completeness_pct, 100);
  EXPECT_DOUBLE_EQ(rows[1].surface_pct, 50);
  EXPECT_DOUBLE_EQ(*rows[1].completeness_pct, 40);  // 2 mm counts, 2.1 mm does not
  EXPECT_DOUBLE_EQ(rows[2].surface_pct, 0);
  EXPECT_FALSE(rows[2].completeness_pct);
  EXPECT_DOUBLE_EQ(*rows[3].completeness_pct, 50);
  EXPECT_EQ(views_to_csv(rows), "views,surface_pct,completeness_2mm_pct\n0,10,100\n1,50,40\n2,0,\n3,40,50\n");
  EXPECT_TRUE(completeness_by_views({}, {}).empty());
}

}  // namespace
}  // namespace aqbench
