#pragma once
// How many pairs a comparison needs before it starts, and which side of each runs first.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "harness/statistics/policy.h"

namespace aqbench {

// The fewest warm runs of a unit.
inline constexpr std::size_t kMinWarmRuns = 3;

// Returns the time of a unit: the shortest of a process's warm runs. Throws Error(input) naming warm_runs if
// there are fewer than kMinWarmRuns, or one is not finite and above 0.
double unit_of(std::span<const double> warm_runs);

// Tosses the fair coin of this pair; returns whether B runs first.
bool b_runs_first(std::uint64_t seed, std::uint64_t pair);

// Returns the fewest pairs to analyse with `cases` >= 1 cases and the policy's looks. The smallest possible p
// must reach the level that Holm asks of it, sides 2^-n <= alpha / (cases x looks), where a time's test has
// one side and a metric's two, and the interval that PASS needs must exist, 2^(1-n) <= alpha / looks. For 4
// cases and 3 looks at alpha .01 that is 11, of metrics 12.
std::size_t minimum_kept_pairs(const PairedPolicy& policy, std::size_t cases, int sides = 1);

// Return how many of n measured pairs are kept (the quietest n / 2), and how many must be measured to keep n.
inline std::size_t kept_of(std::size_t measured_pairs) { return measured_pairs / 2; }
inline std::size_t measured_for(std::size_t kept_pairs) { return 2 * kept_pairs; }

// The noise of the units, from an earlier A/A run or a pilot.
struct PairNoise {
  double cv = 0;           // of ln u of one unit around the mean of its side, both sides pooled
  double correlation = 0;  // between the two units of a pair: the share of the noise that pairing removes
};

// Estimates the noise; 2 cv^2 (1 - correlation) is the variance of ln(u_b / u_a). Throws Error(input) for
// values that are not finite and above 0, unequal lengths and fewer than 3 pairs.
PairNoise estimate_pair_noise(std::span<const double> u_a, std::span<const double> u_b);

// The question how often the signed-rank test of n pairs with normal noise finds that a shift of `effect`
// exceeds tau: n = (pi/3) (z_{1-alpha} + z_power)^2 2 cv^2 (1 - correlation) / (ln(1 + effect) - ln(1 +
// tau))^2, plus 4. The verdict of compare_pairs() asks less (p against no shift, and an estimate above tau),
// so its power is higher.
struct PowerQuestion {
  double alpha = 0.01;  // of one test
  double tau = 0.02;
  double effect = 0.05;
  PairNoise noise;
};
// Return n for a power, and the power of n pairs (0 for n <= 4). Throw Error(usage) naming the field unless
// 0 < alpha < 0.5, 0 <= tau < effect, 0.5 <= power < 1, cv >= 0 and -1 <= correlation <= 1.
std::size_t pairs_for_power(const PowerQuestion& question, double power);
double power_of_pairs(const PowerQuestion& question, std::size_t pairs);

// How many pairs to measure.
struct PairPlan {
  std::size_t kept_pairs = 0;      // at the first look
  std::size_t measured_pairs = 0;  // twice that; each top-up adds as many
  std::size_t minimum_kept = 0;
  std::optional<std::size_t> kept_for_power;  // where the noise is known
  std::optional<double> power;                // by the formula above, at the first look
  std::optional<double> confirmed_power;      // of a flag and its confirmation together: power squared
};

// Plans the pairs. wanted_measured = 0 takes the minimum, or where the noise is known as many as give the
// policy's power at `effect`; any other value is taken as it is. Throws Error(usage) as check() and
// pairs_for_power(), and naming `pairs` if wanted_measured keeps fewer than the minimum.
PairPlan plan_pairs(const PairedPolicy& policy, std::size_t cases, std::size_t wanted_measured = 0,
                    std::optional<PairNoise> noise = std::nullopt, double effect = 0.05);

}  // namespace aqbench
