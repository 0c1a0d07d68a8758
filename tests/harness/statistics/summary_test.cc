#include "harness/statistics/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

TEST(Summary, ByHand) {
  const SampleSummary summary = summarize(Values{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(summary.n, 8u);
  EXPECT_EQ(summary.mean, 5);
  EXPECT_EQ(summary.median, 4.5);
  EXPECT_EQ(summary.min, 2);
  EXPECT_EQ(summary.max, 9);
  EXPECT_DOUBLE_EQ(summary.sd.value(), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(summary.cv.value(), std::sqrt(32.0 / 7) / 5);
  ASSERT_TRUE(summary.median_interval);
  EXPECT_EQ(summary.median_interval->lower, 2);  // 2 P(no sample below) = 2 / 256; with one more 18 / 256
  EXPECT_EQ(summary.median_interval->upper, 9);
  EXPECT_DOUBLE_EQ(summary.median_interval->coverage, 1 - 2.0 / 256);
  EXPECT_DOUBLE_EQ(summary.median_interval->relative_half_width.value(), 3.5 / 4.5);
}

TEST(Summary, UnknownIsNeverZero) {
  const SampleSummary none = summarize(Values{});
  EXPECT_EQ(none.n, 0u);
  EXPECT_FALSE(none.mean || none.median || none.min || none.max || none.sd || none.cv);
  EXPECT_FALSE(none.median_interval);

  const SampleSummary one = summarize(Values{3});
  EXPECT_EQ(one.mean, 3);
  EXPECT_EQ(one.median, 3);
  EXPECT_FALSE(one.sd || one.cv || one.median_interval);

  const SampleSummary two = summarize(Values{3, 5});
  EXPECT_DOUBLE_EQ(two.sd.value(), std::sqrt(2.0));
  EXPECT_TRUE(two.cv);
  EXPECT_FALSE(two.median_interval);

  const SampleSummary constant = summarize(Values(10, 0.1));
  EXPECT_EQ(constant.mean, 0.1);
  EXPECT_EQ(constant.sd, 0);  // known, and 0

  const SampleSummary negative = summarize(Values{-1, -2, -3});
  EXPECT_FALSE(negative.cv);
  EXPECT_FALSE(summarize(Values{-9, -8, -7, -6, -5, -4, -3, -2}).median_interval->relative_half_width);
}

TEST(Summary, FewestSamplesForAnInterval) {
  EXPECT_FALSE(summarize(normal_sample(1, 5), 0.95).median_interval);
  EXPECT_TRUE(summarize(normal_sample(1, 6), 0.95).median_interval);
  EXPECT_FALSE(summarize(normal_sample(1, 7), 0.99).median_interval);
  EXPECT_TRUE(summarize(normal_sample(1, 8), 0.99).median_interval);
}

TEST(Summary, LargeOffsetKeepsTheSpread) {
  Values samples = normal_sample(5, 1000);
  const double sd = summarize(samples).sd.value();
  for (double& sample : samples) sample = 1e12 + sample;
  EXPECT_NEAR(summarize(samples).sd.value(), sd, 1e-4);
}

// Covers the median of any distribution as often as it says.
TEST(Summary, MedianIntervalCoverage) {
  const int draws = 20000;
  for (const std::size_t n : {9u, 30u}) {
    int covered = 0;
    double stated = 0;
    for (int draw = 0; draw < draws; ++draw) {
      Values samples = normal_sample(static_cast<std::uint64_t>(draw), n, 21);
      for (double& sample : samples) sample = std::exp(sample);  // skewed; the median is 1
      const auto interval = summarize(samples).median_interval.value();
      if (interval.lower <= 1 && 1 <= interval.upper) ++covered;
      stated = interval.coverage;
    }
    EXPECT_GE(stated, 0.95);
    EXPECT_NEAR(static_cast<double>(covered) / draws, stated, 4 * std::sqrt(stated * (1 - stated) / draws));
  }
}

TEST(Summary, RefusesWhatIsNotFinite) {
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       summarize(Values{1, 2, std::nan("")});
                     }),
            "samples[2] is nan, must be finite");
  EXPECT_EQ(error_of(ErrorKind::usage, [] { summarize(Values{1}, 0); }),
            "confidence is 0, must be above 0 and below 1");
}

}  // namespace
}  // namespace aqbench
