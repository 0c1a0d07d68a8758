#include "reports/text/ab_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "core/text.h"
#include "reports/exports/paper.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

TEST(AbReport, TextsSayWhatCouldHaveBeenSeenAndWhichStageMoved) {
  AbDocument document = document_of(timed_samples(40, 1.07));
  document.notes = {"said once"};
  const AbReport report = judge_ab(document);
  const std::string table = render_ab_table(document, report);
  EXPECT_THAT(table, HasSubstr("REGRESSED"));
  EXPECT_THAT(table, ::testing::ContainsRegex(
                         "\nREGRESSED: new is [67]\\.[0-9] % slower \\([0-9.]+ to [0-9.]+ %\\)"));
  for (const char* const statistics : {"cv", "Holm", "kept", "tau"})
    EXPECT_THAT(table, ::testing::Not(HasSubstr(statistics)));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 110u) << line;
  const std::string summary = render_ab_summary(document, report);
  for (const std::string& text : {table, summary}) {
    ASSERT_THAT(text, HasSubstr("note: said once"));
    EXPECT_EQ(text.find("note: said once"), text.rfind("note: said once")) << text;
  }
  EXPECT_THAT(summary, ::testing::StartsWith("**REGRESSED: new is "));
  for (const char* const part : {"40 pairs, cv", "would have flagged +", "A/A rate behind it",
                                 "| waves/x | match | 5.00 | 5.34 | +6.92 % | +0.346 | slower |"})
    EXPECT_THAT(summary, HasSubstr(part));
}

// An rmse that is B's `ratio` times A's, at times that do not differ.
AbDocument metric_document(double ratio, bool wall_time) {
  AbSamples samples = timed_samples(24, 1);
  double noise = 0;
  for (Record& unit : samples.units) {
    noise = std::fmod(noise + 0.618, 1.0);
    unit.unit->outcomes = {
        {"accuracy_rmse_mm", {2 * (unit.unit->side == AbSide::b ? ratio : 1) * (1 + 0.02 * (noise - 0.5))}}};
    unit.output_sha256 = std::to_string(noise);
  }
  AbDocument document = document_of(std::move(samples));
  AbOutcome rmse;
  rmse.name = "accuracy_rmse_mm";
  rmse.kind = AbOutcome::Kind::metric;
  rmse.unit = "mm";
  rmse.margin = 0.05;
  document.settings.outcomes = {rmse};
  document.settings.wall_time = wall_time;
  document.settings.policy.looks = 1;
  return document;
}

TEST(AbReport, MetricsHaveRowsOfTheirOwnInWordsOfQuality) {
  const AbDocument worse = metric_document(1.2, false);
  const AbReport report = judge_ab(worse);
  ASSERT_EQ(report.cases[0].verdict, AbVerdict::worse) << report.cases[0].reason;
  const std::string table = render_ab_table(worse, report), summary = render_ab_summary(worse, report);
  EXPECT_THAT(table, ::testing::ContainsRegex("rmse \\[mm\\] +[0-9.]+ +[0-9.]+ .*WORSE\n"));
  EXPECT_THAT(summary, HasSubstr("| waves/x | rmse \\[mm\\] | 2.00 | 2.40 | "));
  for (const std::string& text : {table, summary})
    for (const char* const none : {"n/a", "REGRESSED", "A ms", "wall time", "A/A rate", "tau", "p slower"})
      EXPECT_THAT(text, ::testing::Not(HasSubstr(none)));
  EXPECT_THAT(table, HasSubstr("WORSE: rmse +"));
  EXPECT_THAT(summary, HasSubstr(", two-sided p "));
  // B is better: the p is that of this direction, not the 1 of the other one.
  const AbDocument better = metric_document(0.8, false);
  EXPECT_THAT(render_ab_summary(better, judge_ab(better)),
              ::testing::ContainsRegex("BETTER(.|\n)*two-sided p [0-9.]+e-"));
}

TEST(AbReport, ATimeThatIsJudgedStandsBesideTheMetrics) {
  const AbDocument document = metric_document(1.2, true);
  const AbReport report = judge_ab(document);
  const std::string table = render_ab_table(document, report);
  EXPECT_THAT(table, ::testing::ContainsRegex("wall time \\[ms\\] +[0-9.]+ +[0-9.]+ "));
  EXPECT_THAT(table, HasSubstr("rmse [mm]"));
}

// Times that are 7 % longer, with 2 % allowed: the scale ends at 1.1 times the interval's larger end, zero
// stands in the middle, and the interval lies right of what is allowed.
TEST(AbReport, IntervalsAreDrawnAroundZeroWithWhatIsAllowed) {
  const AbDocument document = document_of(timed_samples(40, 1.07));
  const AbReport report = judge_ab(document);
  const std::vector<Chart> charts = interval_charts(report);
  ASSERT_EQ(charts.size(), 1u);
  ASSERT_EQ(charts[0].rows.size(), 1u);
  const Chart::Row::Interval& row = *charts[0].rows[0].interval;
  EXPECT_NEAR(row.estimate, 7, 0.3);
  EXPECT_NEAR(row.most, 2, 1e-9);
  EXPECT_NEAR(row.least, 100 * (1 / 1.02 - 1), 1e-9);
  EXPECT_DOUBLE_EQ(interval_reach(charts[0]), 1.1 * row.high);
  const std::string drawn = terminal_of(charts[0]);
  EXPECT_THAT(drawn, ::testing::ContainsRegex("\nwaves/x +┊ *│ *┊ *├(─)*●(─)*┤ *[+][67][.][0-9]+ %\n"));
  const std::string line = drawn.substr(drawn.find("waves/x"));
  EXPECT_EQ(display_width(line.substr(0, line.find("│"))),
            drawn.find(" 0 ") - drawn.find('\n'))  // below the zero of the scale
      << drawn;
  EXPECT_LE(display_width(line), 101u);
  const std::string drawing = svg_figure(drawing_of(charts[0]));
  EXPECT_THAT(drawing, HasSubstr("<circle"));
  EXPECT_THAT(html_of(ReportBlock(charts[0])), HasSubstr("class=\"track interval bad\""));
}

TEST(AbReport, SidesHaveTheNamesThatTheUserGave) {
  const auto names = [](const char* a, const char* b) {
    AbDocument document;
    document.a.label = a;
    document.b.label = b;
    return names_of_sides(document);
  };
  using Names = std::pair<std::string, std::string>;
  EXPECT_EQ(names("build/old/aqbench", "build/new/aqbench"), Names("old", "new"));
  EXPECT_EQ(names("./slow.sh", "./fast.sh"), Names("slow.sh", "fast.sh"));
  EXPECT_EQ(names("kernel=torch", "kernel=cpp"), Names("kernel=torch", "kernel=cpp"));
  EXPECT_EQ(names("method=sparse", "method=mine:fast"), Names("sparse", "mine:fast"));
  EXPECT_EQ(names("same", "same"), Names("A", "B"));
  EXPECT_EQ(names(std::string(33, 'x').c_str(), "y"), Names("A", "B"));
  EXPECT_EQ(names("x/old", "x/old/c"), Names("old", "old/c"));
  EXPECT_EQ(names("a", "b"), Names("A", "B"));
}

TEST(AbReport, OfAValidationTheCountsStandInPlaceOfTheCases) {
  const AbDocument document = validation_document(3, 1.05);
  const AbReport report = judge_ab(document);
  const std::string table = render_ab_table(document, report), summary = render_ab_summary(document, report);
  for (const std::string& text : {table, summary}) {
    EXPECT_THAT(text, HasSubstr("3 comparisons of waves/x with itself: "));
    EXPECT_THAT(text, HasSubstr("3 comparisons with +5% in B: 0 pass, 3 slower or worse"));
  }
  EXPECT_THAT(table, ::testing::Not(HasSubstr("waves/x A/A 1")));
  EXPECT_THAT(summary, HasSubstr("waves/x A/A 1"));
}

}  // namespace
}  // namespace aqbench
