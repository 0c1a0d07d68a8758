#include "reports/html/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/drawing/colour_map.h"
#include "core/text.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string page_of(const AbDocument& document) { return ab_page(document, judge_ab(document)); }

// What the page's scripts draw of its first case.
Json drawn_case(const std::string& page) {
  const std::size_t begin = page.find("{", page.find("id=\"aqbench-data\""));
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin)).at("comparison").at(0);
}

TEST(AbPage, HoldsEveryPairWithTheOrderInWhichItRanAndTheIntervalOfTheShift) {
  const AbDocument document = document_of(timed_samples(40, 1.07));
  const std::string page = page_of(document);
  EXPECT_EQ(page, page_of(document));
  for (const char* const part :
       {"<div class=\"verdict bad\">\n<p><b>REGRESSED</b> new is ", "<h2>Case by case</h2>",
        "<h2>Pair by pair</h2>", "<h2>Stages</h2>", "40 pairs, cv",
        "<td data-label=\"verdict\" class=\"text bad\">REGRESSED</td>",
        "<td data-label=\"stage\" class=\"text\">match</td>", "old/aqbench", "default-src 'none'"})
    EXPECT_THAT(page, HasSubstr(part));
  const Json one = drawn_case(page), &series = one.at("series").at(0);
  EXPECT_THAT(one.at("verdict").get<std::string>(), StartsWith("REGRESSED: new is "));
  EXPECT_EQ(one.at("leading"), "wall time");
  EXPECT_THAT(page.substr(0, page.find("<h2>Case by case")), Not(HasSubstr("sha256 ")))
      << "hashes are folded";
  ASSERT_EQ(series.at("pairs").size(), 40u);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const Json& pair = series.at("pairs").at(i);
    const Record &first = document.samples.units[2 * i], &second = document.samples.units[2 * i + 1];
    const bool a_first = first.unit->side == AbSide::a;
    EXPECT_EQ(pair.at(0), (a_first ? first : second).timing.warm_ms[0]);
    EXPECT_EQ(pair.at(1), (a_first ? second : first).timing.warm_ms[0]);
    EXPECT_EQ(pair.at(a_first ? 2 : 3), 2 * i + 1);
    EXPECT_EQ(pair.at(a_first ? 3 : 2), 2 * i + 2);
    kept += pair.at(5).get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(kept, 40u);
  EXPECT_EQ(series.at("kind"), "ratio");
  EXPECT_NEAR(series.at("shift").get<double>(), 0.07, 0.005);
  EXPECT_LT(series.at("low"), series.at("shift"));
  EXPECT_GT(series.at("high"), series.at("shift"));
}

TEST(AbPage, ShowsWhatIsWorseWithItsReasonAndHowMetricsDiffer) {
  AbDocument document = document_of(timed_samples(40, 0.9));
  give_outputs(document.samples, 0.8, 1.6);
  const std::string page = page_of(document);
  for (const char* const part : {"<b>WORSE</b>", "2 x worse: faster but less accurate"})
    EXPECT_THAT(page, HasSubstr(part));
  const AbReport report = judge_ab(document);
  ASSERT_FALSE(report.cases[0].reason.empty());
  EXPECT_THAT(page, HasSubstr(xml_escape(report.cases[0].reason)));
}

TEST(AbPage, ShowsWhereOnTheSurfaceBIsWorse) {
  const AbDocument document = document_of(timed_samples(40, 1));
  const AbReport report = judge_ab(document);
  const std::string head =
      "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n"
      "0,0,0,0,9,0.5,0,100,10,10\n";
  const std::string page = ab_page(document, report,
                                   {{"tiles/waves__x.a.csv", head + "1,2,10,20,9,-1,0,100,20,30\n"},
                                    {"tiles/waves__x.b.csv", head + "1,2,10,20,9,3,0,100,20,30\n"}});
  EXPECT_THAT(page.substr(0, page.find("<main>")),
              HasSubstr("How much larger the errors of this case are in B"));
  const std::string part = page.substr(page.find("<section id=\"places\">"));
  EXPECT_THAT(part, HasSubstr("<h3>waves/x</h3>"));
  // |3| - |-1| = 2 mm is the end of its scale: the reddest colour, at the tile (1, 2).
  EXPECT_THAT(part, HasSubstr("<path fill=\"" + hex_of(diverging_colour(kColourSteps - 1)) +
                              "\" d=\"M1 2h1v1h-1z\"/>"));
  // With one side alone, or none, there is nothing to compare.
  EXPECT_THAT(ab_page(document, report, {{"tiles/waves__x.a.csv", head}}), Not(HasSubstr("id=\"places\"")));
  EXPECT_THAT(page_of(document), Not(HasSubstr("id=\"places\"")));
}

TEST(AbPage, ShowsMetricsOverSeedsAndUnitsThatFailed) {
  AbDocument document = document_of(timed_samples(40, 1));
  document.settings.outcomes = {{.name = "accuracy_rmse_mm",
                                 .kind = AbOutcome::Kind::metric,
                                 .unit = "mm",
                                 .better = Better::lower,
                                 .margin = 0.05,
                                 .margin_absolute = true}};
  for (Record& unit : document.samples.units)
    unit.unit->outcomes = {
        {"accuracy_rmse_mm", {unit.timing.warm_ms[0] + (unit.unit->side == AbSide::b ? 0.5 : 0)}}};
  const std::string page = page_of(document);
  EXPECT_THAT(page, HasSubstr("rmse [mm]"));
  const Json series = drawn_case(page).at("series").at(1);
  EXPECT_EQ(series.at("kind"), "difference");
  EXPECT_NEAR(series.at("shift").get<double>(), 0.5, 0.05);
  for (Record& unit : document.samples.units) {
    unit.status = Status::crashed;
    unit.reason = "<b>died</b>";
  }
  const std::string failed = page_of(document);
  for (const char* const part : {"<b>FAILED</b>", "&lt;b&gt;died"}) EXPECT_THAT(failed, HasSubstr(part));
  EXPECT_THAT(failed, Not(HasSubstr("<b>died")));
  EXPECT_TRUE(drawn_case(failed).at("series").empty());
}

}  // namespace
}  // namespace aqbench
