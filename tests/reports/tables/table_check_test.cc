#include "reports/tables/table_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using Values = std::initializer_list<std::pair<const char*, double>>;

// Returns what is found in a table of a case with these metrics, a line each.
std::string found_in(const std::string& file, const std::string& text, const Values& values,
                     const Values& options = {}) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.path() / std::filesystem::path(file).parent_path());
  std::ofstream(folder.path() / file) << text;
  Record record;
  record.case_name = "a";
  record.scene = "flat_plane";
  for (const auto& [name, value] : options) record.options.emplace_back(name, value);
  for (const auto& [name, value] : values)
    record.metrics.emplace_back(name, Metric{value, "", Better::lower, ""});
  std::string lines;
  for (const Finding& finding : check_table(folder.path(), file, record)) lines += finding.what + "\n";
  return lines;
}

// Two tiles: +-1 mm around a mean of 0, and one point at 3 mm.
std::string tiles(const std::string& nmad_mm) {
  return "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n"
         "0,0,-5,0,2,0," +
         nmad_mm + ",100,5,10\n1,0,5,0,1,3,0,,15,10\n";
}

TEST(TableCheck, TilesHoldNoMoreSpreadThanTheRecordsRmse) {
  const Values metrics = {{"tile_worst_abs_bias_mm", 3}, {"tile_empty_pct", 0}, {"accuracy_rmse_mm", 1.915}};
  EXPECT_EQ(found_in("tiles/a.csv", tiles("1.4826"), metrics), "");
  EXPECT_NE(found_in("tiles/a.csv", tiles("4"), metrics).find("gives accuracy_rmse_mm"), std::string::npos);
}

TEST(TableCheck, TilesHaveTheSizeThatTheMetricTells) {
  EXPECT_EQ(found_in("tiles/a.csv", tiles("1"), {{"tile_10mm_empty_pct", 0}}), "");
  EXPECT_NE(found_in("tiles/a.csv", tiles("1"), {{"tile_20mm_empty_pct", 0}}).find("lies elsewhere"),
            std::string::npos);
}

TEST(TableCheck, TilesCoverThePatchOfTheScene) {
  const auto of_patch = [](double x_min_m, double x_max_m, double y_min_m, double y_max_m) {
    return found_in("tiles/a.csv", tiles("1"), {{"tile_empty_pct", 0}},
                    {{"flat_plane.x_min_m", x_min_m},
                     {"flat_plane.x_max_m", x_max_m},
                     {"flat_plane.y_min_m", y_min_m},
                     {"flat_plane.y_max_m", y_max_m}});
  };
  EXPECT_EQ(of_patch(-0.005, 0.015, 0, 0.01), "");
  EXPECT_EQ(of_patch(-0.005, 0.0051, 0, 0.001), "") << "the last tiles are cut by the patch";
  EXPECT_NE(of_patch(-4.995, -4.975, 0, 0.01).find("begins at -5 mm, the scene's x_min_m is"),
            std::string::npos);
  EXPECT_NE(of_patch(-0.005, 0.005, 0, 0.02).find("has 2 tiles from x_min_m"), std::string::npos);
  EXPECT_NE(of_patch(-0.005, 0.015, 0, 0.02).find("has 1 tiles from y_min_m"), std::string::npos);
  EXPECT_NE(of_patch(-0.005, 0.015, 0.1, 0.11).find("begins at 0 mm, the scene's y_min_m is"),
            std::string::npos);
}

TEST(TableCheck, CompletenessOfWhatTwoCamerasSeeIsAPartOfAllAtEveryTolerance) {
  const std::string views = "views,surface_pct,completeness_2mm_pct\n0,0,\n1,20,50\n2,30,60\n3,50,80\n";
  const auto seen2 = [&](double at_1mm, double at_2mm) {
    return found_in("views/a.csv", views,
                    {{"completeness_1mm_pct", 60},
                     {"completeness_2mm_pct", 68},
                     {"completeness_seen2_1mm_pct", at_1mm},
                     {"completeness_seen2_2mm_pct", at_2mm}});
  };
  EXPECT_EQ(seen2(60, 72.5), "");
  EXPECT_NE(seen2(60, 72.6).find("gives completeness_seen2_2mm_pct"), std::string::npos);
  EXPECT_NE(seen2(76, 72.5).find("gives completeness_1mm_pct"), std::string::npos) << "more than there is";
  EXPECT_NE(seen2(49, 72.5).find("gives completeness_1mm_pct"), std::string::npos) << "the rest is no larger";
}

TEST(TableCheck, WhereTwoCamerasSeeAllCompletenessIsThatOfAll) {
  const std::string views = "views,surface_pct,completeness_2mm_pct\n0,0,\n1,0,\n2,100,60\n";
  EXPECT_EQ(
      found_in("views/a.csv", views, {{"completeness_5mm_pct", 70}, {"completeness_seen2_5mm_pct", 70}}), "");
  EXPECT_NE(
      found_in("views/a.csv", views, {{"completeness_5mm_pct", 70}, {"completeness_seen2_5mm_pct", 70.001}}),
      "");
}

}  // namespace
}  // namespace aqbench
