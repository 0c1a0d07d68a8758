#pragma once
// How many pairs a comparison needs before it starts, and the order within each.

#include <cstdint>
#include <optional>
#include <span>

#include "harness/statistics/policy.h"

namespace aqbench {

// A unit: the shortest of a process's warm runs. Throws Error(input) naming warm_runs if there are fewer than
// 3, or one is not finite and above 0.
inline constexpr std::size_t kMinWarmRuns = 3;
double unit_of(std::span<const double> warm_runs);

// Whether B runs first in this pair: a fair coin for each pair.
bool b_runs_first(std::uint64_t seed, std::uint64_t pair);

// The fewest pairs to analyse so that, with `cases` cases and the policy's looks, the smallest possible p
// reaches the level that Holm asks of it, 2^-n <= alpha / (cases x looks), and the interval that PASS needs
// exists, 2^(1-n) <= alpha / looks. 4 cases x 3 looks at .01: 11. cases >= 1.
std::size_t minimum_kept_pairs(const PairedPolicy& policy, std::size_t cases);

// Of n measured pairs the quietest n / 2 are kept.
inline std::size_t kept_of(std::size_t measured_pairs) { return measured_pairs / 2; }
inline std::size_t measured_for(std::size_t kept_pairs) { return 2 * kept_pairs; }

// Noise of the units, from an earlier A/A run or a pilot.
struct PairNoise {
  double cv = 0;           // of one unit around its build's level, both builds pooled; of ln u
  double correlation = 0;  // between the two units of a pair: noise that pairing takes away
};

// 2 cv^2 (1 - correlation) is the variance of ln(u_b / u_a). Throws Error(input) as compare_pairs(), also for
// fewer than 3 pairs.
PairNoise estimate_pair_noise(std::span<const double> u_a, std::span<const double> u_b);

// Signed-rank test of n pairs with normal noise that a shift of `effect` exceeds tau:
// n = (pi/3) (z_{1-alpha} + z_power)^2 2 cv^2 (1 - correlation) / (ln(1 + effect) - ln(1 + tau))^2, plus 4.
// The verdict asks less (p against no shift, and an estimate above tau), so its power is higher.
struct PowerQuestion {
  double alpha = 0.01;  // of one test
  double tau = 0.02;
  double effect = 0.05;
  PairNoise noise;
};
// Throw Error(usage) naming the field: 0 < alpha < 0.5, 0 <= tau < effect, 0.5 <= power < 1, cv >= 0,
// -1 <= correlation <= 1.
std::size_t pairs_for_power(const PowerQuestion& question, double power);
double power_of_pairs(const PowerQuestion& question, std::size_t pairs);  // pairs <= 4: 0

struct PairPlan {
  std::size_t kept_pairs = 0;      // at the first look
  std::size_t measured_pairs = 0;  // twice that; each top-up adds as many
  std::size_t minimum_kept = 0;
  std::optional<std::size_t> kept_for_power;  // where the noise is known
  std::optional<double> power;                // by the formula, at the first look
  std::optional<double> confirmed_power;      // after a flag was confirmed with fresh pairs: squared
};

// wanted_measured = 0: the minimum, or where the noise is known as many as give the policy's power at
// `effect`. Otherwise just that many. Throws Error(usage) as check() and pairs_for_power(), and naming
// `pairs` if wanted_measured keeps fewer than the minimum.
PairPlan plan_pairs(const PairedPolicy& policy, std::size_t cases, std::size_t wanted_measured = 0,
                    std::optional<PairNoise> noise = std::nullopt, double effect = 0.05);

}  // namespace aqbench
