#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/morton.h"
#include "core/quantiles.h"
#include "core/random.h"

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

// Known answers of Random123's kat_vectors for philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, NormalMomentsWithinFourStandardErrors) {
  const RandomKey key{7, RandomStream::point_noise};
  const int pairs = 200000;
  double sum = 0, square = 0, cross = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto [a, b] = normal_pair(key, static_cast<std::uint64_t>(i));
    sum += a + b;
    square += a * a + b * b;
    cross += a * b;
  }
  const double n = 2.0 * pairs;
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1, 4 * std::sqrt(2 / n));
  EXPECT_NEAR(cross / pairs, 0, 4 / std::sqrt(pairs));
}

TEST(Random, StreamsSeedsIndicesAndSlotsDiffer) {
  const double base = uniform01({1, RandomStream::dropout}, 5, 0);
  EXPECT_EQ(base, uniform01({1, RandomStream::dropout}, 5, 0));
  EXPECT_NE(base, uniform01({2, RandomStream::dropout}, 5, 0));
  EXPECT_NE(base, uniform01({1, RandomStream::point_noise}, 5, 0));
  EXPECT_NE(base, uniform01({1, RandomStream::dropout}, 6, 0));
  EXPECT_NE(base, uniform01({1, RandomStream::dropout}, 5, 1));
}

// Bit b of x, y and z is bit 3 b, 3 b + 1 and 3 b + 2 of the code.
TEST(Morton, InterleavesTheBitsOfThreeCoordinates) {
  for (int bit = 0; bit < 21; ++bit) {
    const std::uint32_t one = 1U << bit;
    EXPECT_EQ(morton_encode(one, 0, 0), std::uint64_t{1} << 3 * bit);
    EXPECT_EQ(morton_encode(0, one, 0), std::uint64_t{2} << 3 * bit);
    EXPECT_EQ(morton_encode(0, 0, one), std::uint64_t{4} << 3 * bit);
  }
  EXPECT_EQ(morton_encode(0x1fffff, 0x1fffff, 0x1fffff), (std::uint64_t{1} << 63) - 1);
  for (const std::array<std::uint32_t, 3>& place :
       {std::array<std::uint32_t, 3>{5, 3, 9}, {0x1fffff, 1, 0x155555}, {0x123456, 0x0fedcb, 7}})
    EXPECT_EQ(morton_decode(morton_encode(place[0], place[1], place[2])), place);
}

}  // namespace
}  // namespace aqbench
