#include "harness/statistics/quality_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

// Two metrics of A/A pairs whose values vary by `noise`; B is `factor` times as much.
std::vector<PairedSeries> noisy_metrics(std::size_t pairs, double noise, double factor = 1) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal;
  std::vector<PairedSeries> metrics(2);
  for (PairedSeries& metric : metrics) {
    metric.name = &metric == metrics.data() ? "rmse" : "precision";
    metric.quality = QualityScale{};
    for (std::size_t i = 0; i < pairs; ++i) {
      metric.u_a.push_back(50 * (1 + noise * normal(generator)));
      metric.u_b.push_back(50 * factor * (1 + noise * normal(generator)));
    }
  }
  metrics[1].quality->better = QualityScale::Better::higher;
  return metrics;
}

QualityCheck check_of(const std::vector<PairedSeries>& metrics) {
  return check_quality(metrics, {.draws = 800, .pairs_per_draw = 20}, paired_policy("sensitive"));
}

TEST(QualityCheck, TheSameIsSeldomCalledDifferentAndTheMarginIsSeen) {
  const QualityCheck check = check_of(noisy_metrics(120, 0.022));
  EXPECT_EQ(check.simulated.blocks, 800U);
  EXPECT_LE(check.simulated.regressed, 8U);
  EXPECT_EQ(check.separate.blocks, 6U);
  EXPECT_EQ(check.separate.regressed, 0U);
  EXPECT_FALSE(check.no_noise);
  ASSERT_EQ(check.powers.size(), 4U) << "20 and 40 pairs; of 80 there are not three blocks";
  EXPECT_EQ(check.powers[1].pairs_per_draw, 40U);
  EXPECT_EQ(check.powers[2].metric, "precision");
  for (const QualityPower& power : check.powers) {
    EXPECT_EQ(power.draws, 200U);
    EXPECT_GE(power.worse, 180U) << power.metric;
  }
}

TEST(QualityCheck, MuchNoiseHidesTheMarginAndMorePairsShowIt) {
  const QualityCheck check = check_of(noisy_metrics(240, 0.08));
  ASSERT_EQ(check.powers.size(), 6U);
  EXPECT_LT(check.powers[0].worse, 120U);
  EXPECT_GT(check.powers[2].worse, check.powers[0].worse + 40);
}

// Coins thrown anew cannot show that B is another: blocks as they were measured do.
TEST(QualityCheck, APlantedDifferenceIsFoundInEveryBlock) {
  const QualityCheck check = check_of(noisy_metrics(120, 0.02, 1.2));
  EXPECT_EQ(check.separate.regressed, check.separate.blocks);
  EXPECT_GT(rate_lower(check.separate), 0.5);
  EXPECT_NEAR(rate_lower({12, 1}), 1 - std::pow(0.95, 1.0 / 12), 1e-9);
  EXPECT_EQ(rate_lower({12, 0}), 0);
}

TEST(QualityCheck, EqualValuesAreNoNoiseAndTooFewPairsAreRefused) {
  std::vector<PairedSeries> metrics = noisy_metrics(60, 0.02);
  for (PairedSeries& metric : metrics) metric.u_b = metric.u_a;
  EXPECT_TRUE(check_of(metrics).no_noise);
  EXPECT_NE(error_of(ErrorKind::input, [] { check_of(noisy_metrics(59, 0.02)); })
                .find("rmse: pairs: 59 measured, blocks of 20 need at least 60"),
            std::string::npos);
}

}  // namespace
}  // namespace aqbench
