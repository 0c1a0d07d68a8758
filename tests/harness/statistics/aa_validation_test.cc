#include "harness/statistics/aa_validation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

TEST(AaValidation, TauFromHistory) {
  const PairedPolicy policy;
  EXPECT_EQ(tau_of_case({}, policy).tau, 0.02);
  EXPECT_FALSE(tau_of_case({}, policy).p99_abs_shift);
  const CaseTau quiet = tau_of_case(Values{0.001, -0.012, 0.004}, policy);
  EXPECT_EQ(quiet.p99_abs_shift, 0.012);
  EXPECT_EQ(quiet.tau, 0.02);  // never below the policy's
  EXPECT_EQ(quiet.aa_runs, 3u);
  const CaseTau louder = tau_of_case(Values{0.001, -std::log(1.04), 0.004}, policy);
  EXPECT_NEAR(louder.tau, 0.04, 1e-12);
  EXPECT_FALSE(louder.above_delta);
  EXPECT_TRUE(tau_of_case(Values{std::log(1.06)}, policy).above_delta);
  Values many;  // 0.0001 ... 0.0200: the 198th of 200
  for (int i = 200; i > 0; --i) many.push_back(i % 2 == 0 ? 1e-4 * i : -1e-4 * i);
  EXPECT_DOUBLE_EQ(tau_of_case(many, policy).p99_abs_shift.value(), 0.0198);
  EXPECT_EQ(error_of(ErrorKind::input,
                     [&] {
                       tau_of_case(Values{0, std::nan("")}, policy);
                     }),
            "aa_shifts[1] is nan, must be finite");
}

TEST(AaValidation, BlocksOfMeasuredPairs) {
  const PairedSeries measured = simulate(kSpiky, 5, 600, 3);
  const BlockCheck aa = check_blocks(measured, {.draws = 1000}, {});
  EXPECT_EQ(aa.draws, 1000u);
  EXPECT_EQ(aa.regressed + aa.faster + aa.pass + aa.inconclusive, 1000u);
  EXPECT_LE(aa.regressed, 4u);
  const BlockCheck slower = check_blocks(measured, {.draws = 1000, .injected_ratio = 1.05}, {});
  EXPECT_GE(slower.regressed, 950u);
  EXPECT_LE(slower.confirmed_regressed, slower.regressed);
  EXPECT_GE(slower.confirmed_regressed, 900u);
  EXPECT_EQ(check_blocks(measured, {.draws = 1000, .seed = 7}, {}).draws, 1000u);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { check_blocks(simulate(kQuiet, 1, 119), {}, {}); }),
            "simulated: pairs: 119 measured, blocks of 40 need at least 120");
}

// Fewest blocks without an alarm, and bounds of Clopper and Pearson by adding up the binomial distribution.
TEST(AaValidation, RatesAreBoundedByIndependentBlocksAlone) {
  EXPECT_NEAR((AlarmCount{15, 0}.rate_upper()), 1 - std::pow(0.05, 1.0 / 15), 1e-12);
  EXPECT_NEAR((AlarmCount{15, 0}.rate_upper()), 0.181, 1e-4) << "no 0.4 %";
  EXPECT_EQ(AlarmCount{}.rate_upper(), 1);
  EXPECT_EQ((AlarmCount{7, 7}.rate_upper()), 1);
  EXPECT_EQ(blocks_to_bound(0.004), 748u);
  EXPECT_LE((AlarmCount{748, 0}.rate_upper()), 0.004);
  EXPECT_GT((AlarmCount{747, 0}.rate_upper()), 0.004);
  for (const auto& [blocks, regressed] : {std::pair(20, 1), {200, 9}, {3000, 6}}) {
    const double rate =
        AlarmCount{static_cast<std::size_t>(blocks), static_cast<std::size_t>(regressed)}.rate_upper();
    double probability = 0;  // of so few alarms at that rate
    for (int k = 0; k <= regressed; ++k)
      probability += std::exp(std::lgamma(blocks + 1) - std::lgamma(k + 1) - std::lgamma(blocks - k + 1) +
                              k * std::log(rate) + (blocks - k) * std::log1p(-rate));
    EXPECT_NEAR(probability, 0.05, 1e-9) << blocks << " " << regressed;
  }
  EXPECT_LE((AlarmCount{3000, 6}.rate_upper()), 0.004);
}

TEST(AaValidation, SeparateBlocksAreAsManyAsThePairsHold) {
  PairedSeries measured = simulate(kQuiet, 6, 650, 3);
  EXPECT_EQ(count_separate_blocks(measured, 40, {}).blocks, 16u);
  EXPECT_EQ(count_separate_blocks(measured, 40, {}).regressed, 0u);
  for (std::size_t i = 80; i < 200; ++i) measured.u_b[i] *= 1.2;  // three blocks
  EXPECT_EQ(count_separate_blocks(measured, 40, {}).regressed, 3u);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { count_separate_blocks(simulate(kQuiet, 1, 119), 40, {}); }),
            "simulated: pairs: 119 measured, blocks of 40 need at least 120");
}

TEST(AaValidation, SimulatedBlocksHaveTheMeasuredNoiseAndCoinsOfTheirOwn) {
  const AlarmCount spiky = simulate_blocks(simulate(kSpiky, 5, 600, 3), {.draws = 1500}, {});
  EXPECT_EQ(spiky.blocks, 1500u);
  EXPECT_LE(spiky.rate_upper(), 0.004);
  // A difference between the sides is no noise: coins take it away, and the measured blocks alone show it.
  PairedSeries slower = simulate(kQuiet, 6, 400, 3);
  for (double& u : slower.u_b) u *= 1.2;
  EXPECT_EQ(count_separate_blocks(slower, 40, {}).regressed, 10u);
  EXPECT_LE(simulate_blocks(slower, {.draws = 500}, {}).regressed, 15u) << "alpha is 1 %";
  // A rule without a threshold flags its alpha, which simulated blocks must find, one side of it.
  PairedPolicy careless;
  careless.alpha = 0.2;
  careless.tau = 1e-9;
  const AlarmCount alarms = simulate_blocks(simulate(kQuiet, 7, 400, 3), {.draws = 1500}, careless);
  EXPECT_GT(alarms.regressed, 0.05 * 1500);
  EXPECT_LT(alarms.regressed, 0.25 * 1500);
}

// A confirmation shares no pair with the flag: of 3 blocks' worth where only the middle is slow, nothing that
// the middle flags is confirmed at full strength.
TEST(AaValidation, ConfirmingBlocksAreOthers) {
  PairedSeries measured = simulate(kQuiet, 6, 120, 3);
  for (std::size_t i = 40; i < 80; ++i) measured.u_b[i] *= 1.2;
  const BlockCheck check = check_blocks(measured, {.draws = 300}, {});
  EXPECT_GT(check.regressed, 50u);
  EXPECT_LT(check.confirmed_regressed, check.regressed);
}

}  // namespace
}  // namespace aqbench
