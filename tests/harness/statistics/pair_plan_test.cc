#include "harness/statistics/pair_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/statistics/signed_rank.h"
#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

PairedPolicy with_looks(int looks) {
  PairedPolicy policy;
  policy.looks = looks;
  return policy;
}

TEST(Policy, Presets) {
  const PairedPolicy sensitive = paired_policy("sensitive"), gate = paired_policy("gate");
  EXPECT_EQ(sensitive.alpha, 0.01);
  EXPECT_EQ(sensitive.tau, 0.02);
  EXPECT_EQ(sensitive.delta, 0.05);
  EXPECT_EQ(gate.alpha, 0.01);
  EXPECT_EQ(gate.tau, 0.05);
  EXPECT_EQ(gate.delta, 0.08);
  for (const auto& named : paired_policies()) EXPECT_NO_THROW(check(named.policy)) << named.name;
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

TEST(PairPlan, FewestKeptPairs) {
  // 2^-11 <= .01 / 12 < 2^-10: the worked example of statistics.md.
  EXPECT_EQ(minimum_kept_pairs(with_looks(3), 4), 11u);
  EXPECT_EQ(plan_pairs(with_looks(3), 4).measured_pairs, 22u);
  EXPECT_EQ(minimum_kept_pairs(with_looks(1), 2), 8u);
  // One case and look: 7 would do for p (2^-7 <= .01), but a 99 % interval needs 8, and without it no PASS.
  EXPECT_EQ(minimum_kept_pairs(with_looks(1), 1), 8u);
  EXPECT_EQ(minimum_kept_pairs(with_looks(3), 1), 10u);
  for (const std::size_t cases : {2u, 5u, 17u, 100u}) {
    for (const int looks : {1, 2, 5}) {
      const auto by_formula = std::ceil(std::log2(static_cast<double>(cases) * looks / 0.01));
      EXPECT_EQ(minimum_kept_pairs(with_looks(looks), cases), static_cast<std::size_t>(by_formula));
    }
  }
}

// The test of a metric is two-sided: its smallest p is twice as large, 2^(1-n).
TEST(PairPlan, MetricsNeedOnePairMore) {
  EXPECT_EQ(minimum_kept_pairs(with_looks(1), 2, 2), 9u);   // 2^-8 <= .01 / 2 < 2^-7
  EXPECT_EQ(minimum_kept_pairs(with_looks(3), 4, 2), 12u);  // 2^-11 <= .01 / 12 < 2^-10
  EXPECT_EQ(minimum_kept_pairs(with_looks(1), 1, 2), 8u);   // 2^-7 <= .01: as the interval
}

// With the minimum all pairs on one side just reach the strictest level; with one less they cannot.
TEST(PairPlan, FewestKeptPairsCanReject) {
  const double strictest = 0.01 / 12;
  EXPECT_LE(signed_rank_test(Values(11, 1.0)).p_greater, strictest);
  EXPECT_GT(signed_rank_test(Values(10, 1.0)).p_greater, strictest);
}

TEST(PairPlan, RefusesFewer) {
  EXPECT_EQ(error_of(ErrorKind::usage, [] { plan_pairs(with_looks(3), 4, 21); }),
            "pairs: 21 measured keep 10; 4 comparisons x 3 looks at alpha 0.01 need 11 kept, 22 measured");
  EXPECT_EQ(plan_pairs(with_looks(3), 4, 22).kept_pairs, 11u);
  EXPECT_EQ(plan_pairs(with_looks(3), 4, 41).kept_pairs, 20u);
  EXPECT_EQ(plan_pairs(with_looks(3), 4, 41).measured_pairs, 41u);
  EXPECT_EQ(error_of(ErrorKind::usage, [] { minimum_kept_pairs(with_looks(1), 0); }),
            "cases is 0, must be at least 1");
}

TEST(PairPlan, PowerFormulaByHand) {
  // (pi/3) (2.326348 + 1.281552)^2 2 .03^2 .71 / (ln(1.05 / 1.02))^2 + 4 = 20.7322 + 4
  const PowerQuestion question{0.01, 0.02, 0.05, {0.03, 0.29}};
  const double z = 2.326347874 + 1.281551566, gap = std::log(1.05 / 1.02);
  const double n = 1.047197551 * z * z * 2 * 0.0009 * 0.71 / (gap * gap) + 4;
  EXPECT_EQ(pairs_for_power(question, 0.9), static_cast<std::size_t>(std::ceil(n)));
  EXPECT_GE(power_of_pairs(question, pairs_for_power(question, 0.9)), 0.9);
  EXPECT_LT(power_of_pairs(question, pairs_for_power(question, 0.9) - 1), 0.9);
  EXPECT_EQ(power_of_pairs(question, 4), 0);
  EXPECT_EQ(pairs_for_power({0.01, 0.02, 0.05, {0, 0}}, 0.9), 4u);
  EXPECT_EQ(error_of(ErrorKind::usage,
                     [] {
                       pairs_for_power({0.01, 0.05, 0.05, {0.03, 0}}, 0.9);
                     }),
            "effect is 0.05, must be above 0.05 and below 10");
  EXPECT_EQ(error_of(ErrorKind::usage,
                     [] {
                       pairs_for_power({0.01, 0.02, 0.05, {0.03, 1.5}}, 0.9);
                     }),
            "correlation is 1.5, must be at most 1");
}

TEST(PairPlan, KnownNoiseAsksForMorePairs) {
  const PairNoise noise{0.04, 0};
  const PairPlan plan = plan_pairs(with_looks(3), 4, 0, noise);
  const PowerQuestion question{0.01 / 12, 0.02, 0.05, noise};
  EXPECT_EQ(plan.kept_for_power, pairs_for_power(question, 0.9));
  EXPECT_GT(plan.kept_pairs, 50u);
  EXPECT_EQ(plan.kept_pairs, plan.kept_for_power);
  EXPECT_EQ(plan.measured_pairs, 2 * plan.kept_pairs);
  EXPECT_GE(plan.power.value(), 0.9);
  EXPECT_DOUBLE_EQ(plan.confirmed_power.value(), *plan.power * *plan.power);
  // As many as asked for, with the power that is left.
  const PairPlan small = plan_pairs(with_looks(3), 4, 40, noise);
  EXPECT_EQ(small.kept_pairs, 20u);
  EXPECT_LT(small.power.value(), 0.5);
  EXPECT_FALSE(plan_pairs(with_looks(3), 4).power);
}

// A signed-rank test of a shift of +5 % against tau at the formula's n finds it as often as planned.
TEST(PairPlan, PowerFormulaBySimulation) {
  for (const double cv : {0.02, 0.04}) {
    const PowerQuestion question{0.01, 0.02, 0.05, {cv, 0.3}};
    const std::size_t n = pairs_for_power(question, 0.9);
    const double sd = cv * std::sqrt(2 * (1 - 0.3));
    const int draws = 4000;
    int found = 0;
    for (int draw = 0; draw < draws; ++draw) {
      Values differences = normal_sample(static_cast<std::uint64_t>(draw), n, 31);
      for (double& d : differences) d = std::log(1.05 / 1.02) + sd * d;
      if (signed_rank_test(differences).p_greater <= 0.01) ++found;
    }
    // The four pairs on top of the asymptotic formula cover the test's discreteness, and a little more.
    EXPECT_NEAR(static_cast<double>(found) / draws, 0.92, 0.025) << "cv " << cv << ", n " << n;
  }
}

TEST(PairPlan, EstimatesTheNoisePutIn) {
  const Values z = normal_sample(1, 30000);
  Values u_a, u_b;
  for (std::size_t i = 0; i < z.size(); i += 3) {  // a common part with 40 % of the variance
    const double common = std::sqrt(0.4) * z[i];
    u_a.push_back(2.0 * std::exp(0.02 * (common + std::sqrt(0.6) * z[i + 1])));
    u_b.push_back(3.0 * std::exp(0.02 * (common + std::sqrt(0.6) * z[i + 2])));
  }
  const PairNoise noise = estimate_pair_noise(u_a, u_b);
  EXPECT_NEAR(noise.cv, 0.02, 0.0005);
  EXPECT_NEAR(noise.correlation, 0.4, 0.03);
  EXPECT_EQ(estimate_pair_noise(Values(5, 1.0), Values(5, 2.0)).cv, 0);
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       estimate_pair_noise(Values{1, 2}, Values{1, 2});
                     }),
            "u_a: 2 pairs, their noise needs at least 3");
}

TEST(PairPlan, UnitIsTheShortestWarmRun) {
  EXPECT_EQ(unit_of(Values{3, 2, 4}), 2);
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       unit_of(Values{3, 2});
                     }),
            "warm_runs: 2 runs, a unit needs at least 3");
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       unit_of(Values{3, 2, 0});
                     }),
            "warm_runs[2] is 0, must be finite and above 0");
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
