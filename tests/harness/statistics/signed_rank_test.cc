#include "harness/statistics/signed_rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

struct Tails {
  double greater = 0, less = 0;
};

// All 2^n sign patterns over mid-ranks counted pair by pair; zeros dropped.
Tails enumerate_signs(const std::vector<double>& differences) {
  std::vector<double> kept;
  for (const double d : differences)
    if (d != 0) kept.push_back(d);
  std::vector<double> ranks;
  double seen = 0;
  for (const double d : kept) {
    double rank = 0.5;
    for (const double other : kept) {
      if (std::abs(other) < std::abs(d)) rank += 1;
      if (std::abs(other) == std::abs(d)) rank += 0.5;
    }
    ranks.push_back(rank);
    if (d > 0) seen += rank;
  }
  const std::uint32_t patterns = 1u << kept.size();
  double at_least = 0, at_most = 0;
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if ((pattern >> i & 1u) != 0) sum += ranks[i];
    if (sum >= seen) at_least += 1;
    if (sum <= seen) at_most += 1;
  }
  return {at_least / patterns, at_most / patterns};
}

void expect_enumerated(const std::vector<double>& differences) {
  const SignedRankTest test = signed_rank_test(differences);
  const Tails truth = enumerate_signs(differences);
  EXPECT_NEAR(test.p_greater, truth.greater, 1e-14);
  EXPECT_NEAR(test.p_less, truth.less, 1e-14);
}

TEST(SignedRank, EqualsAllSignPatternsWithoutTies) {
  for (std::size_t n = 1; n <= 14; ++n)
    for (std::uint64_t draw = 0; draw < 4; ++draw) {
      auto differences = normal_sample(100 * n + draw, n);
      for (double& d : differences) d += 0.4 * static_cast<double>(draw);
      expect_enumerated(differences);
      EXPECT_FALSE(signed_rank_test(differences).ties);
    }
}

TEST(SignedRank, EqualsAllSignPatternsWithTiesAndZeros) {
  for (std::size_t n = 2; n <= 14; ++n)
    for (std::uint64_t draw = 0; draw < 6; ++draw) {
      auto differences = normal_sample(200 * n + draw, n);
      for (double& d : differences) d = std::round(1.5 * d + 0.5 * static_cast<double>(draw));
      expect_enumerated(differences);
    }
}

// One-sided critical values (largest w with P(W <= w) <= tail): McCornack, JASA 60, 1965, table 1.
TEST(SignedRank, PublishedCriticalValues) {
  const auto critical = [](std::size_t n, double tail) {
    const auto quantile = signed_rank_quantile(n, tail);
    return quantile ? static_cast<int>(quantile->w) : -1;
  };
  const std::vector<int> at_025 = {0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 29, 34, 40, 46, 52};  // n = 6 ... 20
  const std::vector<int> at_005 = {-1, -1, 0, 1, 3, 5, 7, 9, 12, 15, 19, 23, 27, 32, 37};
  for (std::size_t i = 0; i < at_025.size(); ++i) {
    EXPECT_EQ(critical(6 + i, 0.025), at_025[i]) << "n = " << 6 + i;
    EXPECT_EQ(critical(6 + i, 0.005), at_005[i]) << "n = " << 6 + i;
  }
  EXPECT_EQ(critical(25, 0.025), 89);
  EXPECT_EQ(critical(25, 0.005), 68);
  EXPECT_EQ(critical(30, 0.025), 137);
  EXPECT_EQ(critical(30, 0.005), 109);
  EXPECT_EQ(critical(5, 0.025), -1);
}

TEST(SignedRank, SmallestTailIsOnePattern) {
  for (const std::size_t n : {5u, 20u, 50u, 500u}) {
    std::vector<double> differences(n);
    std::iota(differences.begin(), differences.end(), 1.0);
    EXPECT_EQ(signed_rank_test(differences).p_greater, std::ldexp(1.0, -static_cast<int>(n)));
    EXPECT_EQ(signed_rank_test(differences).p_less, 1);
    std::vector<double> equal(n, -2.5);
    EXPECT_EQ(signed_rank_test(equal).p_less, std::ldexp(1.0, -static_cast<int>(n)));
  }
}

TEST(SignedRank, AllZerosAreNoEvidence) {
  const SignedRankTest test = signed_rank_test(std::vector<double>{0, -0.0, 0});
  EXPECT_EQ(test.zeros, 3u);
  EXPECT_EQ(test.p_greater, 1);
  EXPECT_EQ(test.p_less, 1);
}

TEST(SignedRank, RefusesWhatItCannotTest) {
  const auto message = [](const std::vector<double>& differences) {
    return error_of(ErrorKind::input, [&] { signed_rank_test(differences); });
  };
  EXPECT_EQ(message({}), "differences: empty");
  EXPECT_EQ(message({1, std::nan("")}), "differences[1] is nan, must be finite");
  EXPECT_EQ(message({std::numeric_limits<double>::infinity()}), "differences[0] is inf, must be finite");
  EXPECT_EQ(message(std::vector<double>(kMaxSignedRankPairs + 1, 1.0)),
            "differences: 2049 values, at most 2048 can be tested exactly");
}

TEST(SignedRank, MidRanksByHand) {
  // |d| = 1, 2, 2, 3: ranks 1, 2.5, 2.5, 4; the zero is dropped.
  const SignedRankTest test = signed_rank_test(std::vector<double>{1, -2, 2, 0, 3});
  EXPECT_EQ(test.zeros, 1u);
  EXPECT_TRUE(test.ties);
  EXPECT_EQ(test.p_greater, 4.0 / 16);  // sums 7.5, 7.5, 9, 10
}

TEST(SignedRank, QuantileStatesItsProbability) {
  const auto quantile = signed_rank_quantile(10, 0.005);
  ASSERT_TRUE(quantile);
  EXPECT_EQ(quantile->w, 3u);
  EXPECT_EQ(quantile->probability, 5.0 / 1024);
  EXPECT_FALSE(signed_rank_quantile(6, 0.01));
  EXPECT_EQ(signed_rank_quantile(7, 0.01)->probability, 1.0 / 128);
}

TEST(SignedRank, SwappingSidesMirrorsThePValues) {
  auto differences = normal_sample(9, 23);
  const SignedRankTest test = signed_rank_test(differences);
  for (double& d : differences) d = -d;
  const SignedRankTest mirrored = signed_rank_test(differences);
  EXPECT_EQ(test.p_greater, mirrored.p_less);
  EXPECT_EQ(test.p_less, mirrored.p_greater);
}

}  // namespace
}  // namespace aqbench
