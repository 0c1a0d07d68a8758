#include "core/quantiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace aqbench {
namespace {

TEST(QuantileOfSorted, LinearBetweenOrderStatistics) {
  EXPECT_EQ(quantile_of_sorted(std::vector<double>{1, 2, 3, 4, 5}, 0.5), 3);
  EXPECT_EQ(quantile_of_sorted(std::vector<double>{1, 2}, 0.25), 1.25);
  EXPECT_EQ(quantile_of_sorted(std::vector<double>{7}, 0.9), 7);
}

// Two ways to write a point between two numbers; depth ranges and charts must not depend on which.
TEST(QuantileOfSorted, HasTheBitsOfLerp) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> depth_m(0, 2), share(0, 1);
  std::vector<double> sorted(101);
  for (int round = 0; round < 200; ++round) {
    for (double& value : sorted) value = depth_m(random);
    std::ranges::sort(sorted);
    for (int k = 0; k < 50; ++k) {
      const double q = share(random), rank = q * 100;
      const auto below = static_cast<std::size_t>(rank);
      const double expected =
          std::lerp(sorted[below], sorted[std::min<std::size_t>(below + 1, 100)], rank - std::floor(rank));
      ASSERT_EQ(quantile_of_sorted(sorted, q), expected) << q;
    }
  }
}

TEST(Medians, DifferForAnEvenNumber) {
  EXPECT_EQ(median_of_sorted(std::vector<double>{1, 2, 4}), 2);
  EXPECT_EQ(median_of_sorted(std::vector<double>{1, 2, 4, 9}), 3);
  EXPECT_EQ(median_of_sorted(std::vector<double>{5}), 5);
  std::vector<float> odd = {4, 1, 2}, even = {9, 1, 4, 2}, one = {5};
  EXPECT_EQ(upper_median_in_place<float>(odd), 2);
  EXPECT_EQ(upper_median_in_place<float>(even), 4);
  EXPECT_EQ(upper_median_in_place<float>(one), 5);
}

}  // namespace
}  // namespace aqbench
