#include "reports/content/verdict_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(VerdictText, NumbersHaveThreeDigitsAndMoreWhereTheyLookTheSame) {
  const auto pair = [](double a, double b) {
    return number_pair(a, b).first + " " + number_pair(a, b).second;
  };
  EXPECT_EQ(pair(0.76712, 4.4), "0.767 4.40");
  EXPECT_EQ(pair(99.951, 99.953), "99.951 99.953");
  EXPECT_EQ(pair(1.0, 12345.678), "1 12346");
  EXPECT_EQ(pair(2.5, 2.5), "2.50 2.50");
  EXPECT_EQ(pair(0, 1.25e-7), "0 1.25e-07");
}

// Sums in another order differ in the last bits: of a value that passes that is no change.
TEST(VerdictText, RoundingIsNoChange) {
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  double& value = *metric_of(content.results.records[1], "accuracy_mean_mm").value;
  value = std::nextafter(value, 10.0);
  set_baseline(content, baseline);
  const auto row = std::ranges::find_if(content.gated->rows, [](const VerdictRow& one) {
    return one.metric == "accuracy_mean_mm" && one.baseline != one.current;
  });
  ASSERT_NE(row, content.gated->rows.end());
  EXPECT_TRUE(is_unchanged(*row));
  EXPECT_THAT(verdict_row_text(*row), HasSubstr("0.793 -> 0.793 mm (same, allowed ± 5 %)"));
  row->verdict = Verdict::regressed;  // where it matters every digit is shown
  EXPECT_FALSE(is_unchanged(*row));
  EXPECT_NE(verdict_cells(*row).before, verdict_cells(*row).after);
}

// 96 -> 38.4 % is 57.6 points, whether the tolerance is given in points or as a share of the value.
TEST(VerdictText, APercentageChangesByPoints) {
  VerdictRow row = shown_verdict("a", "completeness_2mm_pct", "%", Better::higher, 96, 38.4);
  EXPECT_EQ(verdict_cells(row).change, "-57.6 points");
  EXPECT_EQ(verdict_cells(row).size, "57.6");
  EXPECT_EQ(verdict_cells(row).allowed, "");
  row.tolerance = Tolerance{Tolerance::Kind::absolute, 1};
  EXPECT_EQ(verdict_row_text(row), "completeness at 2 mm 96 -> 38.4 % (-57.6 points, allowed ± 1 point)");
  row = shown_verdict("a", "outlier_ratio_pct", "%", Better::lower, 8, 16);
  row.tolerance = Tolerance{Tolerance::Kind::relative, 0.05};
  EXPECT_EQ(verdict_cells(row).change, "+8 points");
  EXPECT_EQ(verdict_cells(row).allowed, "± 0.4 points");
}

// Banner, terminal and page count further values alike: all that are refused, whatever their verdict.
TEST(VerdictText, FurtherValuesAreThoseThatAreRefused) {
  Verdicts verdicts;
  verdicts.cases = 1;
  for (const char* const name : {"accuracy_mean_mm", "accuracy_rmse_mm", "nmad_mm", "accuracy_p90_mm"})
    verdicts.rows.push_back(shown_verdict("a", name, "mm", Better::lower, 1, 2));
  verdicts.rows[2].verdict = Verdict::undefined;
  verdicts.rows[3].verdict = Verdict::improved;
  sort_worst_first(verdicts.rows);
  EXPECT_EQ(by_case(verdicts).front().others, 2);
  EXPECT_THAT(banner_line(banner_of(verdicts)), HasSubstr("and 2 more values of this case"));
}

TEST(VerdictText, ARunWithoutATruthSaysThatItRanksNothing) {
  BundleContent content = content_of(synthetic_results());
  EXPECT_EQ(banner_of(content).caution, "");
  content.results.records[0].metrics = {{"photometric_zncc_median", Metric{0.8, "1", Better::higher, ""}}};
  const std::string caution =
      "1 case without a true surface: agreement, reprojection and scale are no accuracy and rank nothing";
  EXPECT_THAT(banner_of(content).caution, StartsWith(caution));
  EXPECT_THAT(banner_line(banner_of(content)), HasSubstr(caution));
  set_baseline(content, synthetic_baseline(content.results));
  EXPECT_THAT(banner_of(content).caution, StartsWith(caution));  // also of a run that is gated
}

// A count decides nothing, so it neither passes nor has a limit.
TEST(VerdictText, ACountIsInformation) {
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  for (auto& [name, metric] : content.results.records[1].metrics)
    if (name == "points") *metric.value += 100000;
  set_baseline(content, baseline);
  const auto row = std::ranges::find_if(content.gated->rows, [](const VerdictRow& one) {
    return one.metric == "points" && one.baseline != one.current;
  });
  ASSERT_NE(row, content.gated->rows.end());
  EXPECT_EQ(verdict_label(*row), "information");
  EXPECT_EQ(verdict_cells(*row).allowed, "");
  EXPECT_THAT(verdict_row_text(*row), HasSubstr("(+1e+05): information: changed, not gated"));
}

TEST(VerdictText, ABannerSaysWhatFailedWhereAndSinceWhen) {
  BundleContent content = content_of(synthetic_results());
  EXPECT_EQ(banner_line(banner_of(content)), "4 of 4 cases ran; no baseline: nothing to compare");
  const Baseline baseline = synthetic_baseline(content.results);
  set_baseline(content, baseline);
  EXPECT_EQ(banner_line(banner_of(content)),
            "PASS: 32 values of 4 cases within their tolerances; times are not gated; accepted in run "
            "20250101T000000Z");
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 5.7;
  set_baseline(content, baseline);
  EXPECT_EQ(banner_line(banner_of(content)),
            "FAIL: 1 of 4 cases worse. flat_plane/roma_like: mean error 0.793 -> 4.52 mm (5.7 x, allowed ± 5 "
            "%); accepted in run 20250101T000000Z");
  content.results.records[0].status = Status::crashed;
  content.results.records[0].reason = "signal 11";
  set_baseline(content, baseline);
  EXPECT_THAT(
      banner_line(banner_of(content)),
      StartsWith("FAIL: 1 of 4 cases failed, 1 worse. flat_plane/lightglue_like: crashed: signal 11"));
  content.gated.reset();
  EXPECT_EQ(banner_line(banner_of(content)),
            "FAIL: 1 of 4 cases failed. flat_plane/lightglue_like/seed=42: crashed: signal 11");
}

// The least accurate case lies 1.2 of its mean error of 1.6 mm too deep: what its gate says comes after that.
TEST(VerdictText, ABannerNamesABiasOfAllPoints) {
  BundleContent content = content_of(synthetic_results());
  EXPECT_EQ(banner_of(content).caution, "");
  content.results.records[2].metrics.emplace_back("bias_median_mm", Metric{-1.2, "mm", Better::equal, ""});
  const char* const bias =
      "undulating/lightglue_like: a common bias, its points lie 1.20 mm behind the true surface: most of its "
      "mean error, as with a wrong calibration or frame";
  EXPECT_EQ(banner_of(content).caution, bias);
  EXPECT_THAT(banner_line(banner_of(content)), HasSubstr(bias));
  const Baseline baseline = synthetic_baseline(content.results);
  set_baseline(content, baseline);
  EXPECT_EQ(banner_of(content).caution, "") << "it was accepted";
  *metric_of(content.results.records[2], "accuracy_mean_mm").value = 2.3;
  set_baseline(content, baseline);
  EXPECT_EQ(banner_of(content).colour, Colour::red);
  EXPECT_THAT(banner_of(content).caution, HasSubstr("a common bias"));
  *metric_of(content.results.records[2], "bias_median_mm").value = 1.1;  // less than half
  EXPECT_EQ(banner_of(content).caution, "");
}

TEST(VerdictText, WhatWasNotComparedIsNeverGreen) {
  const Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  for (BaselineCase& one : baseline.cases) one.metrics.clear();
  const Banner banner = banner_of(gate(results, baseline));
  EXPECT_EQ(banner.colour, Colour::red);
  EXPECT_THAT(banner_line(banner), HasSubstr("NOT COMPARED: the baseline gates nothing"));
  BundleContent content = content_of(results);
  EXPECT_EQ(banner_of(content).colour, Colour::none);
  content.results.run.complete = false;
  content.results.records.pop_back();
  EXPECT_EQ(banner_of(content).colour, Colour::yellow);
}

}  // namespace
}  // namespace aqbench
