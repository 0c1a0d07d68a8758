#include "metrics/score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::reason_of;
using test::value_of;

const float kNone = std::numeric_limits<float>::quiet_NaN();

TEST(DepthMetrics, CompareWhereBothMapsHaveADepth) {
  // Errors of 0, 1.5, 3 and 8 mm; one hole; two pixels without truth, one of which has a guess.
  const std::vector<float> truth = {0.25F, 0.25F, 0.5F, 0.5F, 0.25F, kNone, kNone};
  const std::vector<float> predicted = {0.25F, 0.2515F, 0.497F, 0.508F, kNone, 0.3F, kNone};
  const MetricSet metrics = depth_metrics(predicted, truth);
  EXPECT_NEAR(value_of(metrics, "depth_mae_mm"), 12.5 / 4, 1e-4);
  EXPECT_NEAR(value_of(metrics, "depth_rmse_mm"), std::sqrt((2.25 + 9 + 64) / 4), 1e-4);
  EXPECT_NEAR(value_of(metrics, "depth_median_ae_mm"), 2.25, 1e-4);
  EXPECT_NEAR(value_of(metrics, "depth_abs_rel_pct"), 100 * (1.5 / 250 + 3.0 / 500 + 8.0 / 500) / 4, 1e-5);
  EXPECT_EQ(value_of(metrics, "depth_bad_1mm_pct"), 75);
  EXPECT_EQ(value_of(metrics, "depth_bad_2mm_pct"), 50);
  EXPECT_EQ(value_of(metrics, "depth_bad_4mm_pct"), 25);
  EXPECT_EQ(value_of(metrics, "depth_fill_rate_pct"), 80);
}

TEST(DepthMetrics, TakeZeroNegativeAndInfiniteDepthsForHoles) {
  const std::vector<float> truth(4, 0.2F);
  const std::vector<float> predicted = {0, -0.2F, INFINITY, 0.2F};
  const MetricSet metrics = depth_metrics(predicted, truth);
  EXPECT_EQ(value_of(metrics, "depth_fill_rate_pct"), 25);
  EXPECT_EQ(value_of(metrics, "depth_mae_mm"), 0);
}

TEST(DepthMetrics, AreUndefinedWithoutDepths) {
  const std::vector<float> none(4, kNone), some(4, 0.2F);
  const MetricSet no_prediction = depth_metrics(none, some);
  EXPECT_EQ(value_of(no_prediction, "depth_fill_rate_pct"), 0);
  EXPECT_EQ(reason_of(no_prediction, "depth_mae_mm"), "no pixel with a true depth has a depth");
  const MetricSet no_truth = depth_metrics(some, none);
  EXPECT_EQ(no_truth.size(), 8U);
  for (const auto& [name, metric] : no_truth) {
    EXPECT_FALSE(metric.value) << name;
    EXPECT_EQ(metric.reason, "the true depth map has no depth") << name;
  }
}

TEST(DepthMetrics, RefuseMapsOfOtherSizes) {
  EXPECT_THROW(depth_metrics(std::vector<float>(3), std::vector<float>(4)), Error);
}

// Uniform errors in +-D/2, as depth hypotheses every D leave them: mean D/4, rms D/sqrt(12).
TEST(DepthMetrics, OfDepthStepsFollowTheClosedForm) {
  constexpr std::size_t kPixels = 100000;
  std::vector<float> truth(kPixels, 0.2F), predicted(kPixels);
  for (std::size_t i = 0; i < kPixels; ++i)
    predicted[i] = static_cast<float>(0.2 + 0.004 * (uniform01({1, RandomStream::dropout}, i) - 0.5));
  const MetricSet metrics = depth_metrics(predicted, truth);
  EXPECT_NEAR(value_of(metrics, "depth_mae_mm"), 1, 4 * 0.58 / std::sqrt(double{kPixels}));
  EXPECT_NEAR(value_of(metrics, "depth_rmse_mm"), 4 / std::sqrt(12.0), 4 * 0.52 / std::sqrt(double{kPixels}));
}

}  // namespace
}  // namespace aqbench
