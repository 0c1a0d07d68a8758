#include "reports/history/compare_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/drawing/colour_map.h"
#include "core/files.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ComparePage, CountsWhatMovedAndNamesTheWorstCase) {
  Results a = synthetic_results();
  metric_of(a.records[0], "bias_mean_mm").value = 0.5;
  Results b = a;
  metric_of(b.records[1], "accuracy_mean_mm").value = 10;
  metric_of(b.records[0], "accuracy_mean_mm").value = 0.1;
  metric_of(b.records[0], "bias_mean_mm").value = 1;
  metric_of(b.records[0], "points").value = 1;
  const std::string page = compare_page(compare_results(a, b), {&a, ""}, {&b, ""});
  EXPECT_THAT(page, HasSubstr("<p><b>WORSE</b> 2 of 4 cases worse</p>\n<p>flat_plane/roma_like: mean "
                              "error 0.793 -&gt; 10 mm (13 x)</p>"));
  EXPECT_THAT(page, HasSubstr("\"worst\":\"" + b.records[1].case_name + "\""));
  EXPECT_THAT(page, HasSubstr("<td data-label=\"change\" class=\"bad\">+0.5</td>"));  // of a bias no percent
  EXPECT_THAT(page, HasSubstr("All cases have seed=42."));
  EXPECT_THAT(page, HasSubstr("title=\"flat_plane/roma_like/seed=42\"><td>flat_plane/roma_like</td>"));
}

TEST(ComparePage, ShowsWhereBothSidesDifferTileByTile) {
  const TemporaryDirectory folder;
  const Results a = synthetic_results();
  Results b = a;
  for (const std::size_t i : {0, 1}) metric_of(b.records[i], "accuracy_mean_mm").value = 10;
  const char* const head =
      "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n";
  for (const std::string side : {"a", "b"}) {
    std::filesystem::create_directories(folder / side / "tiles");
    const std::string error = side == "a" ? "-1" : "3";
    // The tile (1, 2) has a mean error of 3 mm in B and of -1 mm in A; of another case nothing differs.
    write_file(folder / side / "tiles/flat_plane__roma_like__seed=42.csv",
               head + std::string("0,0,0,0,9,0.5,0,100,10,10\n1,2,10,20,9,") + error + ",0,100,20,30\n");
    write_file(folder / side / "tiles/flat_plane__lightglue_like__seed=42.csv",
               head + std::string("0,0,0,0,9,0.5,0,100,10,10\n"));
  }
  const std::string page = compare_page(compare_results(a, b), {&a, folder / "a"}, {&b, folder / "b"});
  const std::string part = page.substr(page.find("<section id=\"places\">"));
  EXPECT_THAT(part, HasSubstr("<h3>flat_plane/roma_like/seed=42</h3>"));
  EXPECT_THAT(part, Not(HasSubstr("<h3>flat_plane/lightglue_like")));
  // |3| - |-1| = 2 mm is the end of its scale: the reddest colour.
  EXPECT_THAT(part, HasSubstr("<path fill=\"" + hex_of(diverging_colour(kColourSteps - 1)) +
                              "\" d=\"M1 2h1v1h-1z\"/>"));
  EXPECT_THAT(compare_page(compare_results(a, b), {&a, ""}, {&b, ""}), Not(HasSubstr("id=\"places\"")));
}

TEST(ComparePage, ShowsStagesAndSamplesOfBothSides) {
  const TemporaryDirectory folder;
  const Results a = synthetic_results();
  Results b = a;
  b.run.id = "20250521T000000Z";
  for (Record& record : b.records) {
    record.timing.cold_ms = 20;
    record.stages[0].wall_ms = record.stages[0].self_ms = {18.5};
  }
  for (const auto& [side, hot] : {std::pair{"a", "40"}, {"b", "60"}}) {
    const auto profile = folder / side / "profile/flat_plane__roma_like__seed=42";
    std::filesystem::create_directories(profile);
    write_file(profile / "stacks.folded", std::string("main;hot ") + hot + "\n");
  }
  const CompareReport report = compare_results(a, b);
  const std::string page = compare_page(report, {&a, folder / "a"}, {&b, folder / "b"});
  EXPECT_EQ(page, compare_page(report, {&a, folder / "a"}, {&b, folder / "b"}));
  for (const char* const part :
       {"<div id=\"stage-tree\"", "<section id=\"flames\"", "\"pairs\":true",
        "\"label\":\"A: flat_plane/roma_like\"", "[\"simulation\",\"\",1,18.5,18.5,null,null,null,false]",
        "\"samples\":40,\"least\":1", "\"samples\":60,\"least\":1"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(compare_page(report, {&a, ""}, {&b, ""}), Not(HasSubstr("<section id=\"flames\"")));
}

}  // namespace
}  // namespace aqbench
