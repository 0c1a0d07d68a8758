#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "metrics/completeness.h"
#include "reports/content/rivals.h"
#include "reports/html/sections.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string maps_of(const std::string& tiles_csv) {
  ReportPictures pictures;
  pictures.tiles["flat_plane/roma_like/seed=42"] = parse_tiles_csv(tiles_csv);
  return case_pictures(synthetic_results(), pictures);
}

// Seen from above with the depth growing away from the eye: x to the right, y down, as cameras and viewer see
// it.
TEST(Heatmaps, HaveYDownAndNoScaleFinerThanPositions) {
  const std::string page =
      maps_of("0,0,-250,-150,1,0.0000002,0,11.5,-240,-140\n1,2,-240,-130,4,0.0000001,0.2,100,-230,-120\n");
  const std::string map = page.substr(page.find("aria-label=\"map of tiles\""));
  EXPECT_THAT(map.substr(0, map.find("</svg>")), HasSubstr("\"M0 0h1v1h-1zM1 2h1v1h-1z\""));
  EXPECT_THAT(
      page,
      HasSubstr(
          "from above, x to the right from -250 to -230 mm, y down from -150 to -120 mm, per 10 mm tile;"));
  EXPECT_THAT(page, HasSubstr("colours from -0.01 to 0.01 mm"));
}

// Tiles of 30 mm on a patch of 500 mm: 17 columns, of which the last is cut. The map ends with the patch.
TEST(Heatmaps, EndWithThePatch) {
  const auto maps_at = [](double tile_m) {
    return maps_of(tiles_to_csv(empty_tiles(Patch{-0.25, 0.25, -0.15, 0.15}, tile_m)));
  };
  const auto extent = HasSubstr("x to the right from -250 to 250 mm, y down from -150 to 150 mm");
  EXPECT_THAT(maps_at(0.01), AllOf(extent, HasSubstr("per 10 mm tile"), HasSubstr("\"0 0 50 30\"")));
  EXPECT_THAT(maps_at(0.05), AllOf(extent, HasSubstr("per 50 mm tile"), HasSubstr("\"0 0 10 6\"")));
  EXPECT_THAT(maps_at(0.03), AllOf(extent, HasSubstr("per 30 mm tile"), HasSubstr("\"0 0 16.6667 10\"")));
  // The patch is less than one tile.
  EXPECT_THAT(maps_at(1), AllOf(extent, HasSubstr("per 500 mm tile"), HasSubstr("\"0 0 1 0.6\"")));
}

TEST(Heatmaps, TheScaleOfCompletenessBeginsWhereTilesDiffer) {
  const auto maps_with = [](const char* least) {
    return maps_of(std::string("0,0,0,0,1,1,0,100,10,10\n1,0,10,0,1,1,0,") + least + ",20,10\n");
  };
  EXPECT_THAT(maps_with("92"), HasSubstr("colours from 90 to 100 %"));
  EXPECT_THAT(maps_with("60"), HasSubstr("colours from 50 to 100 %"));
  EXPECT_THAT(maps_with("3"), HasSubstr("colours from 0 to 100 %"));
  EXPECT_THAT(maps_with("96"),
              HasSubstr("In every tile 95 % of the surface and more has a point within 2 mm."));
}

// A case that has points everywhere is named in place of a map of one colour.
TEST(Heatmaps, OfCompletenessAreThoseOfCasesWithHoles) {
  ReportPictures pictures;
  pictures.tiles["flat_plane/roma_like/seed=42"] = parse_tiles_csv("0,0,0,0,1,1,0,100,10,10\n");
  pictures.tiles["flat_plane/lightglue_like/seed=42"] = parse_tiles_csv("0,0,0,0,1,1,0,3,10,10\n");
  const std::string page = case_pictures(synthetic_results(), pictures);
  EXPECT_THAT(page, HasSubstr("of the surface and more has a point within 2 mm: roma_like."));
  const std::string maps = page.substr(page.find("Share of the surface"));
  EXPECT_THAT(maps, AllOf(HasSubstr("<figcaption>lightglue_like"), Not(HasSubstr("<figcaption>roma_like"))));
}

// Tiles of two sizes are not the same places.
TEST(Heatmaps, CompareTilesOfOnePlace) {
  Verdicts verdicts;
  verdicts.rows.push_back({.case_name = "x"});
  const auto places = [&](const char* b) {
    const auto tiles = [&](const std::string&, bool of_b) {
      return parse_tiles_csv(of_b ? b : "0,0,0,0,1,1,0,100,10,10\n");
    };
    return tile_places_section(verdicts, tiles, "");
  };
  EXPECT_THAT(places("0,0,0,0,1,3,0,100,10,10\n"), HasSubstr("per 10 mm tile"));
  EXPECT_EQ(places("0,0,0,0,1,3,0,100,20,20\n"), "");
}

std::string tiles_csv(const char* first, const char* second) {
  return std::string(
             "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,"
             "x_max_mm,y_max_mm\n") +
         "0,0,-250,-150,9," + first + ",-200,-100\n1,0,-200,-150,9," + second + ",-170,-100\n";
}

void set_holes(Record& record, const char* name, double pct) {
  std::erase_if(record.metrics, [&](const auto& metric) { return metric.first == name; });
  record.metrics.emplace_back(name, Metric{pct, "%", Better::lower, ""});
}

TEST(Rivals, NameWhereAndWhichStage) {
  BundleContent content = content_of(synthetic_results());
  Record* worse = nullptr;
  Record* best = nullptr;
  for (Record& record : content.results.records) {
    if (record.case_name.starts_with("flat_plane/lightglue")) worse = &record;
    if (record.case_name.starts_with("flat_plane/roma")) best = &record;
  }
  ASSERT_NE(worse, nullptr);
  ASSERT_NE(best, nullptr);
  set_holes(*worse, "holes_filtered_pct", 7.5);
  set_holes(*worse, "holes_fused_pct", 2);
  set_holes(*best, "holes_filtered_pct", 0.5);
  *metric_of(*worse, "accuracy_mean_mm").value *= 1.2;
  ReportPictures pictures;
  pictures.tiles[worse->case_name] = parse_tiles_csv(tiles_csv("0.5,0,90", "-3,0,20"));
  pictures.tiles[best->case_name] = parse_tiles_csv(tiles_csv("0.4,0,95", "0.25,0,80"));
  const std::string section = rivals_section(content, pictures);
  EXPECT_THAT(section, HasSubstr("data-case=\"" + worse->case_name + "\" data-against=\"" + best->case_name));
  EXPECT_THAT(section, HasSubstr("error at x -185, y -125 mm: -3.00 instead of 0.250 mm"));
  EXPECT_THAT(section, HasSubstr("surface covered at x -185, y -125 mm: 20.0 instead of 80.0 %"));
  EXPECT_THAT(section,
              HasSubstr("filtering dropped correct depths over 7.50 % of the surface (best: 0.500 %)"));
  EXPECT_THAT(section, HasSubstr("unknown (no depth maps)"));  // of the other scene
}

// With a wrong refractive index all depths are off to one side. Fusion then loses what was wrong before.
TEST(Rivals, ACommonBiasOfTheCamerasIsNamedBeforeAnyStage) {
  BundleContent content = content_of(synthetic_results());
  const std::string worse = "flat_plane/lightglue_like/seed=42", best = "flat_plane/roma_like/seed=42";
  for (Record& record : content.results.records) {
    if (record.case_name == worse) {
      metric_of(record, "accuracy_mean_mm").value = 2.14;
      set_holes(record, "holes_fused_pct", 50);
    }
    if (record.case_name == best) metric_of(record, "accuracy_mean_mm").value = 0.65;
  }
  ReportPictures pictures;
  const std::string fusion = "fusion dropped correct depths over 50 %";
  pictures.biases_mm[best] = {0.01, -0.05, 0.02};
  pictures.biases_mm[worse] = {-1.9, -2.1, -2};
  const std::string section = rivals_section(content, pictures);
  EXPECT_THAT(section,
              HasSubstr("a common bias: all 3 cameras are 2.00 mm too deep (best: 0.0100), as with a "
                        "wrong calibration"));
  EXPECT_THAT(section, Not(HasSubstr(fusion)));
  pictures.biases_mm[worse] = {-1.9, 2.1, -2};  // no common one
  EXPECT_THAT(rivals_section(content, pictures), HasSubstr(fusion));
  pictures.biases_mm[worse] = {-0.1, -0.1, -0.1};  // which does not explain a mean error of 2.14 mm
  EXPECT_THAT(rivals_section(content, pictures), HasSubstr(fusion));
}

TEST(Rivals, BiasesOfCamerasAreThoseOfTheDiagnosis) {
  EXPECT_THAT(parse_camera_biases("quantity,of,value,unit\nholes,fused,7,%\nbias,a,-1.5,mm\nbias,b,,mm\n"
                                  "rmse,a,3,mm\nbias,c,0.25,mm\nbias,d,nan,mm\n"),
              ::testing::ElementsAre(-1.5, 0.25));
}

// The most accurate one is held against the one that covers more, too.
TEST(Rivals, TheMostAccurateMayCoverLess) {
  BundleContent content = content_of(synthetic_results());
  Record *accurate = nullptr, *other = nullptr;
  for (Record& record : content.results.records) {
    if (record.case_name.starts_with("flat_plane/lightglue")) other = &record;
    if (record.case_name.starts_with("flat_plane/roma")) accurate = &record;
  }
  const auto row = [&] {
    return "data-case=\"" + accurate->case_name + "\" data-against=\"" + other->case_name;
  };
  metric_of(*accurate, "completeness_2mm_pct").value = 90;
  metric_of(*other, "completeness_2mm_pct").value = 80;
  EXPECT_THAT(rivals_section(content, {}), Not(HasSubstr(row())));
  metric_of(*other, "completeness_2mm_pct").value = 95;
  EXPECT_THAT(rivals_section(content, {}), HasSubstr(row()));
}

// In time that grows with the cases, not with their square: 2 x 20 000 in a small part of what that takes.
TEST(Rivals, OfVeryManySeedsAreFoundAtOnce) {
  Results results = synthetic_results();
  const std::vector<Record> two(results.records.begin(), results.records.begin() + 2);
  results.records.clear();
  for (int seed = 1; seed <= 20'000; ++seed)
    for (Record record : two) {
      record.case_name = record.scene + "/" + record.method + "/seed=" + std::to_string(seed);
      record.axes[0].second = std::int64_t{seed};
      results.records.push_back(std::move(record));
    }
  const std::clock_t begin = std::clock();
  const std::vector<Rivals> pairs = rivals_of(results);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5.0);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].worse->case_name, "flat_plane/lightglue_like/seed=1");
}

TEST(Rivals, OneMethodHasNone) {
  BundleContent content = content_of(synthetic_results());
  content.results.records.resize(1);
  EXPECT_EQ(rivals_section(content, {}), "");
  EXPECT_THAT(rivals_section(BundleContent{}, {}), Not(HasSubstr("<table")));
}

}  // namespace

}  // namespace aqbench
