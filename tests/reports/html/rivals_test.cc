#include "reports/html/rivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(Rivals, NameWhereWhichStageAndSinceWhen) {
  BundleContent content;
  content.results = synthetic_results();
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
  set_baseline(content, synthetic_baseline(content.results));
  *metric_of(*worse, "accuracy_mean_mm").value *= 1.2;
  set_baseline(content, *content.baseline);
  ReportPictures pictures;
  pictures.tiles[worse->case_name] = parse_tiles_csv(tiles_csv("0.5,0,90", "-3,0,20"));
  pictures.tiles[best->case_name] = parse_tiles_csv(tiles_csv("0.4,0,95", "0.25,0,80"));
  const std::string section = rivals_section(content, pictures);
  EXPECT_THAT(section, HasSubstr("data-case=\"" + worse->case_name + "\" data-against=\"" + best->case_name));
  EXPECT_THAT(section, HasSubstr("error at x -185, y -125 mm: -3.00 against 0.250 mm"));
  EXPECT_THAT(section, HasSubstr("surface at x -185, y -125 mm: 20.0 against 80.0 % covered"));
  EXPECT_THAT(section,
              HasSubstr("filtering: it dropped the right depths, 7.50 against 0.500 % of the surface"));
  EXPECT_THAT(section, HasSubstr("mean error "));
  EXPECT_THAT(section, HasSubstr("20250101T000000Z"));
  EXPECT_THAT(section, HasSubstr("not known: it gives no depth maps"));  // of the other scene
}

// The most accurate one is held against the one that covers more, too.
TEST(Rivals, TheMostAccurateMayCoverLess) {
  BundleContent content;
  content.results = synthetic_results();
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

TEST(Rivals, OneMethodHasNone) {
  BundleContent content;
  content.results = synthetic_results();
  content.results.records.resize(1);
  EXPECT_EQ(rivals_section(content, {}), "");
  EXPECT_THAT(rivals_section(BundleContent{}, {}), Not(HasSubstr("<table")));
}

}  // namespace
}  // namespace aqbench
