#include "harness/ab/verdict_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/ab/report.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

PairedComparison comparison_of(double ratio, double low, double high) {
  PairedComparison comparison;
  comparison.scale = ShiftScale::log_ratio;
  comparison.verdict = ratio > 1 ? PairedVerdict::regressed : PairedVerdict::faster;
  comparison.shift = std::log(ratio);
  comparison.interval.lower = std::log(low);
  comparison.interval.upper = std::log(high);
  return comparison;
}

TEST(SpeedWords, AreFactorsFromTwoOnAndPercentBelow) {
  EXPECT_EQ(speed_words(comparison_of(1 / 19.3, 1 / 19.7, 1 / 18.9)), "19.3 x faster (18.9 to 19.7)");
  EXPECT_EQ(speed_words(comparison_of(3.1, 2.9, 3.3)), "3.1 x slower (2.9 to 3.3)");
  EXPECT_EQ(speed_words(comparison_of(1.059, 1.053, 1.066)), "5.9 % slower (5.3 to 6.6 %)");
  EXPECT_EQ(speed_words(comparison_of(0.88, 0.87, 0.9)), "12.0 % faster (10.0 to 13.0 %)");
}

TEST(AbVerdictRows, TheCaseDecidesAndItsValuesAreShownBehindIt) {
  const AbReport report = judge_ab(document_of(timed_samples(40, 1.07)));
  const Verdicts& verdicts = report.verdicts;
  ASSERT_EQ(verdicts.rows.size(), 1u);
  EXPECT_EQ(verdicts.exit_code(), ExitCode::regression);
  EXPECT_EQ(verdicts.count(Verdict::regressed), 1u);
  const VerdictRow& row = verdicts.rows[0];
  EXPECT_EQ(row.label, "REGRESSED");
  EXPECT_EQ(row.metric, "wall time");
  EXPECT_NEAR(*row.current / *row.baseline, 1.07, 0.005);
  EXPECT_THAT(row.words, ContainsRegex("^B is [67][.][0-9] % slower [(][0-9.]+ to [0-9.]+ %[)]"));
}

TEST(AbVerdictRows, AFasterBWithAWorseOutputIsATrade) {
  AbDocument document = document_of(timed_samples(40, 0.3));
  give_outputs(document.samples, 0.8, 1.6);
  const AbReport report = judge_ab(document);
  ASSERT_GT(report.verdicts.rows.size(), 1u);
  EXPECT_TRUE(report.verdicts.rows[1].only_shown);
  EXPECT_THAT(report.verdicts.rows[0].words,
              ContainsRegex("^B is 3[.0-9]* x faster [(].*[)], .* 2 x worse: a trade$"));
  EXPECT_EQ(report.exit_code(), ExitCode::regression);
}

TEST(AbVerdictRows, TooFewPairsAreOpen) {
  const AbReport report = judge_ab(document_of(timed_samples(10, 1)));
  EXPECT_EQ(report.verdicts.exit_code(), ExitCode::inconclusive);
  EXPECT_THAT(report.verdicts.rows[0].words, HasSubstr("10 pairs measured, a verdict needs"));
}

}  // namespace
}  // namespace aqbench
