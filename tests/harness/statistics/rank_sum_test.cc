#include "tests/harness/statistics/rank_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

// U counted pair by pair.
double u_of(const Values& a, const Values& b) {
  double u = 0;
  for (const double x : a)
    for (const double y : b) u += y > x ? 1 : y == x ? 0.5 : 0;
  return u;
}

// All ways to deal the pooled values to the two samples.
void expect_enumerated(const Values& a, const Values& b) {
  Values pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  const double seen = u_of(a, b);
  double ways = 0, at_least = 0, at_most = 0;
  for (std::uint32_t mask = 0; mask < 1u << pooled.size(); ++mask) {
    if (static_cast<std::size_t>(std::popcount(mask)) != b.size()) continue;
    Values dealt_a, dealt_b;
    for (std::size_t i = 0; i < pooled.size(); ++i) (mask >> i & 1u ? dealt_b : dealt_a).push_back(pooled[i]);
    const double u = u_of(dealt_a, dealt_b);
    ways += 1;
    if (u >= seen) at_least += 1;
    if (u <= seen) at_most += 1;
  }
  const RankSumTest test = rank_sum_test(a, b);
  EXPECT_TRUE(test.exact);
  EXPECT_EQ(test.u, seen);
  EXPECT_NEAR(test.p_greater, at_least / ways, 1e-14);
  EXPECT_NEAR(test.p_less, at_most / ways, 1e-14);
}

TEST(RankSum, EqualsAllDeals) {
  for (std::uint64_t draw = 0; draw < 24; ++draw) {
    Values a = normal_sample(2 * draw, 1 + draw % 6), b = normal_sample(2 * draw + 1, 1 + draw % 5);
    for (double& value : b) value += 0.5;
    if (draw % 2 == 1) {  // ties
      for (double& value : a) value = std::round(value);
      for (double& value : b) value = std::round(value);
    }
    expect_enumerated(a, b);
  }
}

// Two-sided critical values of Mann and Whitney's U: the largest u whose doubled tail is still within alpha.
TEST(RankSum, PublishedCriticalValues) {
  struct Row {
    std::size_t n;
    int at_05, at_01;
  };
  for (const Row& row : {Row{5, 2, 0}, Row{8, 13, 7}, Row{10, 23, 16}, Row{15, 64, 51}, Row{20, 127, 105}}) {
    // Values 1 ... 2n; one of sample a is moved across b at a time, so that u goes down by one each step.
    const auto p_of_u = [&](int u) {
      Values a, b;
      const auto n = static_cast<int>(row.n);
      // u = sum over b of the a's below it: u / n whole b's above all a's, one b above u % n of them.
      for (int i = 0; i < n; ++i) a.push_back(i);
      for (int i = 0; i < n; ++i) b.push_back(i < u / n ? n + i : i == u / n ? u % n - 0.5 : -1 - i);
      const RankSumTest test = rank_sum_test(a, b);
      EXPECT_EQ(test.u, u);
      return test.p_two_sided;
    };
    EXPECT_LE(p_of_u(row.at_05), 0.05) << row.n;
    EXPECT_GT(p_of_u(row.at_05 + 1), 0.05) << row.n;
    EXPECT_LE(p_of_u(row.at_01), 0.01) << row.n;
    EXPECT_GT(p_of_u(row.at_01 + 1), 0.01) << row.n;
  }
}

TEST(RankSum, NormalApproximationContinuesTheExactOne) {
  Values a = normal_sample(1, 50), b = normal_sample(2, 50);
  for (double& value : b) value += 0.3;
  const RankSumTest exact = rank_sum_test(a, b);
  a.push_back(-100);  // below and above everything: adds nothing to either side
  a.push_back(100);
  const RankSumTest approximate = rank_sum_test(a, b);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(approximate.exact);
  EXPECT_NEAR(approximate.p_greater, exact.p_greater, 0.01);
}

TEST(RankSum, AllTheSameIsNoEvidence) {
  for (const std::size_t n : {3u, 80u}) {
    const RankSumTest test = rank_sum_test(Values(n, 2.0), Values(n, 2.0));
    EXPECT_EQ(test.p_two_sided, 1);
    EXPECT_TRUE(test.ties);
  }
}

TEST(RankSum, RefusesWhatItCannotUse) {
  EXPECT_EQ(error_of(ErrorKind::input, [] { rank_sum_test(Values{}, Values{1}); }), "sample_a: empty");
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       rank_sum_test(Values{1}, Values{1, std::nan("")});
                     }),
            "sample_b[1] is nan, must be finite");
}

}  // namespace
}  // namespace aqbench
