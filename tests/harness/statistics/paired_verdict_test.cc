#include "harness/statistics/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

TEST(Holm, ByHand) {
  // Sorted: .005 x 4, .01 x 3, .03 x 2, .04 x 1, none below the one before.
  const Values adjusted = holm(Values{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

TEST(Holm, OneTestStaysAsItIs) { EXPECT_EQ(holm(Values{0.0123}), Values{0.0123}); }

TEST(Holm, NeverAboveOne) { EXPECT_EQ(holm(Values{0.5, 0.9, 1}), (Values{1, 1, 1})); }

TEST(Holm, NothingForNothing) { EXPECT_TRUE(holm(Values{}).empty()); }

TEST(Holm, EqualValuesGetEqualResults) { EXPECT_EQ(holm(Values{0.25, 0.25}), (Values{0.5, 0.5})); }

// The step-down procedure in its own words: go up the sorted p values and stop at the first
// p > alpha / (tests left).
TEST(Holm, EqualsTheStepDownProcedure) {
  for (std::uint64_t draw = 0; draw < 300; ++draw) {
    Values p;
    for (const double z : normal_sample(draw, 2 + draw % 7)) p.push_back(std::erfc(std::abs(z)) / 8);
    const Values adjusted = holm(p);
    Values sorted = p;
    std::sort(sorted.begin(), sorted.end());
    for (const double alpha : {0.01, 0.05, 0.2}) {
      double limit = -1;  // the largest p that is rejected
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] > alpha / static_cast<double>(sorted.size() - i)) break;
        limit = sorted[i];
      }
      for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(adjusted[i] <= alpha, p[i] <= limit);
    }
  }
}

// So many pairs with the mean and the spread of those that left it open settle it in 80 % of fresh draws, or
// nearly: the normal approximation is of the mean, the test is of signed ranks.
TEST(PairsNeeded, SettleItInFourOfFiveDraws) {
  PairedPolicy policy;
  policy.looks = 3;
  policy.bootstrap_draws = policy.resolution_draws = 0;
  const auto compared = [&](double mean, double sd, std::uint64_t draw, std::size_t pairs) {
    Values z = normal_sample(draw, pairs, 7);
    if (draw == 0) {  // the first have this mean and spread exactly
      double sum = 0, squares = 0;
      for (const double one : z) sum += one;
      for (double& one : z) one -= sum / static_cast<double>(pairs);
      for (const double one : z) squares += one * one;
      for (double& one : z) one /= std::sqrt(squares / static_cast<double>(pairs - 1));
    }
    PairedSeries series;
    series.name = "x";
    for (const double one : z) {
      series.u_a.push_back(std::exp(-(mean + sd * one) / 2));
      series.u_b.push_back(std::exp((mean + sd * one) / 2));
    }
    return compare_pairs(std::span(&series, 1), policy).front();
  };
  for (const auto& [mean, sd] : {std::pair(0.03, 0.06), {0.05, 0.11}, {0.0, 0.09}, {0.015, 0.07}}) {
    const PairedComparison open = compared(mean, sd, 0, 24);
    ASSERT_EQ(open.verdict, PairedVerdict::inconclusive);
    ASSERT_TRUE(open.pairs_needed);
    int settled = 0;
    for (std::uint64_t draw = 1; draw <= 100; ++draw)
      settled += compared(mean, sd, draw, *open.pairs_needed).verdict != PairedVerdict::inconclusive;
    EXPECT_GE(settled, 70) << mean << " " << sd << " " << *open.pairs_needed;
    EXPECT_LE(settled, 99) << mean << " " << sd << " " << *open.pairs_needed;
  }
}

}  // namespace
}  // namespace aqbench
