#include "harness/statistics/signed_rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

std::vector<double> listed_walsh_averages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back(0.5 * values[i] + 0.5 * values[j]);
  std::sort(averages.begin(), averages.end());
  return averages;
}

TEST(Walsh, EveryRankAndTheMedianEqualTheSortedList) {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 20u, 41u})
    for (const bool tied : {false, true}) {
      auto values = heavy_tailed_sample(n, n);
      if (tied)
        for (double& v : values) v = std::round(v);
      const auto averages = listed_walsh_averages(values);
      std::sort(values.begin(), values.end());
      for (std::size_t rank = 1; rank <= averages.size(); ++rank)
        ASSERT_EQ(walsh_average(values, rank), averages[rank - 1]) << "n = " << n << " rank " << rank;
      const std::size_t middle = averages.size() / 2;
      const double median =
          averages.size() % 2 == 1 ? averages[middle] : 0.5 * averages[middle - 1] + 0.5 * averages[middle];
      EXPECT_EQ(median_walsh_average(values), median);
    }
}

TEST(Walsh, ExtremeValues) {
  const std::vector<double> huge = {-1.7e308, -4e-324, 0.0, 1.7e308};
  EXPECT_EQ(walsh_average(huge, 1), -1.7e308);
  EXPECT_EQ(walsh_average(huge, 10), 1.7e308);
  EXPECT_EQ(median_walsh_average(huge), 0);
}

// The interval is where the two-sided test does not reject: shifting the differences to just inside an end is
// kept, to just outside is rejected.
TEST(HodgesLehmann, IntervalInvertsTheTest) {
  for (const std::size_t n : {8u, 9u, 15u, 30u}) {
    const auto differences = normal_sample(40 + n, n);
    const auto interval = hodges_lehmann(differences, 0.99).interval;
    ASSERT_TRUE(interval);
    const auto p_at = [&](double shift) {
      auto moved = differences;
      for (double& d : moved) d -= shift;
      const SignedRankTest test = signed_rank_test(moved);
      return 2 * std::min(test.p_greater, test.p_less);
    };
    const double step = 1e-9;
    EXPECT_GT(p_at(interval->lower + step), 0.01);
    EXPECT_LE(p_at(interval->lower - step), 0.01);
    EXPECT_GT(p_at(interval->upper - step), 0.01);
    EXPECT_LE(p_at(interval->upper + step), 0.01);
    EXPECT_NEAR(1 - interval->coverage, p_at(interval->upper + step), 1e-12);
  }
}

TEST(HodgesLehmann, StatesTheActualCoverage) {
  EXPECT_EQ(hodges_lehmann(normal_sample(1, 10), 0.99).interval->coverage, 1 - 2 * 5.0 / 1024);
  EXPECT_FALSE(hodges_lehmann(normal_sample(1, 7), 0.99).interval);
  EXPECT_EQ(hodges_lehmann(normal_sample(1, 8), 0.99).interval->coverage, 1 - 2.0 / 256);
  EXPECT_EQ(minimum_pairs_for_interval(0.99), 8u);
  EXPECT_EQ(minimum_pairs_for_interval(0.95), 6u);
  EXPECT_EQ(minimum_pairs_for_interval(0.5), 2u);
}

TEST(Bootstrap, AgreesWithTheExactIntervalForManyPairs) {
  auto differences = normal_sample(77, 400);
  for (double& d : differences) d = 0.03 + 0.01 * d;
  const auto exact = hodges_lehmann(differences, 0.99);
  const auto bootstrap = bootstrap_hodges_lehmann(differences, 0.99, 2000, 42);
  const double width = exact.interval->upper - exact.interval->lower;
  EXPECT_NEAR(bootstrap.lower, exact.interval->lower, 0.15 * width);
  EXPECT_NEAR(bootstrap.upper, exact.interval->upper, 0.15 * width);
  EXPECT_EQ(bootstrap.draws, 2000);
  EXPECT_EQ(bootstrap.seed, 42u);
}

TEST(HodgesLehmann, RefusesWhatItCannotUse) {
  const std::vector<double> empty, bad = {1, std::nan("")};
  EXPECT_EQ(error_of(ErrorKind::input, [&] { hodges_lehmann(empty); }), "differences: empty");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { hodges_lehmann(bad); }),
            "differences[1] is nan, must be finite");
}

TEST(HodgesLehmann, ByHand) {
  // Walsh averages of 1, 2, 6: 1, 1.5, 2, 3.5, 4, 6.
  EXPECT_EQ(hodges_lehmann(std::vector<double>{6, 1, 2}).estimate, 2.75);
  EXPECT_EQ(hodges_lehmann(std::vector<double>{5}).estimate, 5);
  EXPECT_FALSE(hodges_lehmann(std::vector<double>{6, 1, 2}).interval);
}

// 99 +- 0.5 % whatever the noise, as long as it is symmetric; and what it says it is, within 4 standard
// errors.
TEST(HodgesLehmann, CoverageByDraws) {
  const int draws = 20000;
  for (const std::size_t n : {10u, 20u})
    for (const bool heavy : {false, true}) {
      int covered = 0;
      double stated = 0;
      for (int draw = 0; draw < draws; ++draw) {
        const auto index = static_cast<std::uint64_t>(draw);
        auto differences = heavy ? heavy_tailed_sample(index, n, 11) : normal_sample(index, n, 12);
        for (double& d : differences) d = 0.05 + 0.01 * d;
        const auto interval = hodges_lehmann(differences, 0.99).interval;
        ASSERT_TRUE(interval);
        if (interval->lower <= 0.05 && 0.05 <= interval->upper) ++covered;
        stated = interval->coverage;
      }
      const double share = static_cast<double>(covered) / draws;
      EXPECT_NEAR(share, 0.99, 0.005);
      EXPECT_NEAR(share, stated, 4 * std::sqrt(stated * (1 - stated) / draws));
    }
}

TEST(Bootstrap, SeedDecides) {
  const auto differences = normal_sample(78, 100);
  const auto first = bootstrap_hodges_lehmann(differences, 0.95, 400, 1);
  const auto again = bootstrap_hodges_lehmann(differences, 0.95, 400, 1);
  const auto other = bootstrap_hodges_lehmann(differences, 0.95, 400, 2);
  EXPECT_EQ(first.lower, again.lower);
  EXPECT_EQ(first.upper, again.upper);
  EXPECT_NE(first.lower, other.lower);
  EXPECT_LT(first.lower, hodges_lehmann(differences, 0.95).estimate);
}

}  // namespace
}  // namespace aqbench
