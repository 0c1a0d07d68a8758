// Few seeds, as COLMAP's benchmark prints them: the mean and the standard deviation of paired differences.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "harness/statistics/paired.h"

namespace aqbench {
namespace {

PairedPolicy one_look() { return {.bootstrap_draws = 0, .resolution_draws = 0}; }

// Seeds of an area under a curve near 60 %, whose differences have exactly this mean and deviation.
PairedSeries seeds_of(std::mt19937_64& generator, std::size_t count, double mean, double deviation,
                      QualityScale::Aim aim) {
  std::normal_distribution<double> normal;
  std::vector<double> draws;
  for (std::size_t i = 0; i < count; ++i) draws.push_back(normal(generator));
  const double average = std::accumulate(draws.begin(), draws.end(), 0.0) / static_cast<double>(count);
  double squares = 0;
  for (const double one : draws) squares += (one - average) * (one - average);
  const double scale = deviation / std::sqrt(squares / static_cast<double>(count - 1));
  PairedSeries series;
  series.name = "auc";
  series.quality = QualityScale{.aim = aim};
  for (const double one : draws) {
    series.u_a.push_back(60 + normal(generator));
    series.u_b.push_back(series.u_a.back() + mean + scale * (one - average));
  }
  return series;
}

using Aim = QualityScale::Aim;

// -1.5 +- 4.5 and -12.0 +- 5.0.
TEST(FewSeeds, SixteenSettleTheLargeDifferenceAndNotTheSmallOne) {
  std::mt19937_64 generator(4556);
  int worse = 0, small_decided = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const std::vector series = {seeds_of(generator, 16, -1.5, 4.5, Aim::higher),
                                seeds_of(generator, 16, -12, 5, Aim::higher)};
    const auto verdicts = compare_pairs(series, one_look());
    small_decided += verdicts[0].verdict != PairedVerdict::inconclusive;
    worse += verdicts[1].verdict == PairedVerdict::regressed;
    EXPECT_TRUE(verdicts[0].pairs_needed || small_decided > 0);
  }
  EXPECT_GE(worse, 198);
  EXPECT_LE(small_decided, 10);
}

// What is less is better where lower is better.
TEST(FewSeeds, TheDirectionDecidesWhetherLessIsWorse) {
  for (const auto& [better, verdict] :
       {std::pair(Aim::higher, PairedVerdict::regressed), std::pair(Aim::lower, PairedVerdict::faster)}) {
    std::mt19937_64 generator(7);
    const std::vector series = {seeds_of(generator, 16, -12, 5, better)};
    EXPECT_EQ(compare_pairs(series, one_look()).front().verdict, verdict);
  }
}

// Equal sides, two metrics, 16 seeds: at most alpha, 1 %, of 10 000 comparisons call anything different.
TEST(FewSeeds, OfTenThousandEqualSidesAtMostOnePercentAreCalledDifferent) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal;
  int different = 0;
  for (int draw = 0; draw < 10'000; ++draw) {
    std::vector<PairedSeries> metrics(2);
    for (PairedSeries& series : metrics) {
      series.name = "auc";
      series.quality = QualityScale{.aim = &series == metrics.data() ? Aim::higher : Aim::lower};
      for (int seed = 0; seed < 16; ++seed) {
        series.u_a.push_back(60 + 3.5 * normal(generator));
        series.u_b.push_back(60 + 3.5 * normal(generator));
      }
    }
    for (const PairedComparison& one : compare_pairs(metrics, one_look()))
      if (one.verdict != PairedVerdict::inconclusive && one.verdict != PairedVerdict::pass) {
        ++different;
        break;
      }
  }
  EXPECT_LE(different, 100);
  EXPECT_GE(different, 20);  // the test is not so strict that nothing would be found
}

}  // namespace
}  // namespace aqbench
