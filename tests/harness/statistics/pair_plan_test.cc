#include "harness/statistics/pair_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/statistics/signed_rank.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

PairedPolicy with_looks(int looks) { return {.looks = looks}; }

TEST(Policy, Presets) {
  const PairedPolicy sensitive = paired_policy("sensitive"), gate = paired_policy("gate");
  EXPECT_EQ(sensitive.alpha, 0.01);
  EXPECT_EQ(sensitive.tau, 0.02);
  EXPECT_EQ(sensitive.delta, 0.05);
  EXPECT_EQ(gate.alpha, 0.01);
  EXPECT_EQ(gate.tau, 0.05);
  EXPECT_EQ(gate.delta, 0.08);
  EXPECT_NO_THROW(check(sensitive));
  EXPECT_NO_THROW(check(gate));
  EXPECT_EQ(error_of(ErrorKind::usage, [] { paired_policy("gat"); }),
            "unknown policy 'gat'; did you mean gate?");
}

TEST(Policy, ChecksNameTheField) {
  const auto message = [](auto change) {
    PairedPolicy policy;
    change(policy);
    return error_of(ErrorKind::usage, [&] { check(policy); });
  };
  EXPECT_EQ(message([](auto& p) { p.alpha = 0; }), "alpha is 0, must be above 0 and below 0.5");
  EXPECT_EQ(message([](auto& p) { p.alpha = std::nan(""); }), "alpha is nan, must be above 0 and below 0.5");
  EXPECT_EQ(message([](auto& p) { p.tau = -0.01; }), "tau is -0.01, must be at least 0");
  EXPECT_EQ(message([](auto& p) { p.tau = 0.06; }), "tau is 0.06, must not be above delta, which is 0.05");
  EXPECT_EQ(message([](auto& p) { p.delta = 1; }), "delta is 1, must be above 0 and below 1");
  EXPECT_EQ(message([](auto& p) { p.looks = 0; }), "looks is 0, must be at least 1");
  EXPECT_EQ(message([](auto& p) { p.looks = 101; }), "looks is 101, must be at most 100");
  EXPECT_EQ(message([](auto& p) { p.power = 1; }), "power is 1, must be above 0 and below 1");
  EXPECT_EQ(message([](auto& p) { p.bootstrap_draws = 100; }),
            "bootstrap_draws is 100, must be at least 200");
  EXPECT_EQ(message([](auto& p) { p.resolution_draws = -1; }), "resolution_draws is -1, must be at least 0");
}

TEST(PairPlan, FewestPairs) {
  // 2^-11 <= .01 / 12 < 2^-10: the worked example of statistics.md.
  EXPECT_EQ(minimum_pairs(with_looks(3), 4), 11u);
  EXPECT_EQ(minimum_pairs(with_looks(1), 2), 8u);
  // One case and look: 7 would do for p (2^-7 <= .01), but a 99 % interval needs 8, and without it no PASS.
  EXPECT_EQ(minimum_pairs(with_looks(1), 1), 8u);
  EXPECT_EQ(minimum_pairs(with_looks(3), 1), 10u);
  for (const std::size_t cases : {2u, 5u, 17u, 100u})
    for (const int looks : {1, 2, 5}) {
      const auto by_formula = std::ceil(std::log2(static_cast<double>(cases) * looks / 0.01));
      EXPECT_EQ(minimum_pairs(with_looks(looks), cases), static_cast<std::size_t>(by_formula));
    }
}

// The test of a metric is two-sided: its smallest p is twice as large, 2^(1-n).
TEST(PairPlan, MetricsNeedOnePairMore) {
  EXPECT_EQ(minimum_pairs(with_looks(1), 2, 2), 9u);   // 2^-8 <= .01 / 2 < 2^-7
  EXPECT_EQ(minimum_pairs(with_looks(3), 4, 2), 12u);  // 2^-11 <= .01 / 12 < 2^-10
  EXPECT_EQ(minimum_pairs(with_looks(1), 1, 2), 8u);   // 2^-7 <= .01: as the interval
}

// With the minimum all pairs on one side just reach the strictest level; with one less they cannot.
TEST(PairPlan, FewestPairsCanReject) {
  const double strictest = 0.01 / 12;
  EXPECT_LE(signed_rank_test(Values(11, 1.0)).p_greater, strictest);
  EXPECT_GT(signed_rank_test(Values(10, 1.0)).p_greater, strictest);
}

TEST(PairPlan, RefusesFewer) {
  EXPECT_EQ(error_of(ErrorKind::usage, [] { require_enough_pairs(with_looks(3), 4, 10); }),
            "pairs: 10 are too few: 4 comparisons x 3 looks at alpha 0.01 need 11");
  EXPECT_NO_THROW(require_enough_pairs(with_looks(3), 4, 11));
  EXPECT_EQ(error_of(ErrorKind::usage, [] { minimum_pairs(with_looks(1), 0); }),
            "cases is 0, must be at least 1");
}

TEST(PairPlan, OrderIsASeededCoin) {
  int b_first = 0, changes = 0, other_seed = 0;
  for (std::uint64_t pair = 0; pair < 10000; ++pair) {
    b_first += b_runs_first(1, pair) ? 1 : 0;
    changes += b_runs_first(1, pair) != b_runs_first(1, pair + 1) ? 1 : 0;
    other_seed += b_runs_first(1, pair) != b_runs_first(2, pair) ? 1 : 0;
  }
  for (const int count : {b_first, changes, other_seed}) EXPECT_NEAR(count, 5000, 200);
}

}  // namespace
}  // namespace aqbench
