#pragma once
// The exact signed-rank test, and how large a shift is.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aqbench {

// Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; the distribution by
// dynamic programming over the ranks as in Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods",
// 3rd ed., ch. 3. Hodges and Lehmann, "Estimates of location based on rank tests", Ann. Math. Statist. 34,
// 1963; the interval inverts the signed-rank test (Hollander, Wolfe and Chicken, ch. 3.3).

// The most differences of one test. That many take up to 1.5 s; the time grows with their cube.
inline constexpr std::size_t kMaxSignedRankPairs = 2048;

// The result of the test.
struct SignedRankTest {
  std::size_t zeros = 0;  // differences that were dropped because a zero has no sign
  bool ties = false;      // some of the other |differences| are equal: mid-ranks were used
  // Under fair coins the chances of a sum of the ranks of positive differences that is at least, or at most,
  // as large: small if the differences are above 0, or below.
  double p_greater = 1, p_less = 1;
};

// Tests whether the differences are symmetric about 0. Two of them are tied if their absolute values are the
// same number. If all are zero, every p is 1. Throws Error(input) naming `differences` if there are none or
// more than kMaxSignedRankPairs, or if one is not finite.
SignedRankTest signed_rank_test(std::span<const double> differences);

// A quantile of the null distribution.
struct SignedRankQuantile {
  std::uint64_t w = 0;
  double probability = 0;
};
// Returns the largest w with P(W+ <= w) <= tail for `pairs` differences without ties, and that probability;
// nullopt if even P(W+ <= 0) = 2^-pairs is above `tail`. pairs <= kMaxSignedRankPairs.
std::optional<SignedRankQuantile> signed_rank_quantile(std::size_t pairs, double tail);

// Returns exactly the rank-th smallest Walsh average, (x_i + x_j) / 2 with i <= j, of `sorted`, which is
// ascending, finite and not empty, 1 <= rank <= n (n + 1) / 2, in O(64 n) by bisection over the doubles.
double walsh_average(std::span<const double> sorted, std::uint64_t rank);

// Returns the middle Walsh average, or the mean of the two middle ones: the Hodges-Lehmann estimate.
double median_walsh_average(std::span<const double> sorted);

// A confidence interval.
struct ShiftInterval {
  double lower = 0;
  double upper = 0;
  double coverage = 0;  // at least the confidence asked for; of tied differences a lower limit, else exact
};

// An estimate and its interval, in the unit of the differences.
struct HodgesLehmann {
  double estimate = 0;                    // median of the Walsh averages, zeros included
  std::optional<ShiftInterval> interval;  // nullopt for fewer than minimum_pairs_for_interval() differences
};

// Estimates the shift of the differences. Throws Error(input) "differences..." if there are none or more than
// kMaxSignedRankPairs, or if one is not finite.
HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence = 0.99);

// Returns the fewest pairs whose widest interval reaches the confidence: 8 for 0.99.
std::size_t minimum_pairs_for_interval(double confidence);

// An interval that assumes less than the exact one: quantiles of the estimate over resampled differences
// (Efron's percentile interval). It is approximate, and too narrow for few pairs.
struct BootstrapInterval {
  double lower = 0;
  double upper = 0;
  int draws = 0;
  std::uint64_t seed = 0;
};

// Draws the bootstrap interval, at least 2 / (1 - confidence) times. Throws as hodges_lehmann().
BootstrapInterval bootstrap_hodges_lehmann(std::span<const double> differences, double confidence, int draws,
                                           std::uint64_t seed);

// The question which shift a comparison could have seen.
struct ResolutionQuestion {
  double flag_above = 0;  // a flag needs an estimate above this
  double alpha = 0.01;    // of the one-sided signed-rank test: the strictest level that Holm may ask for
  double power = 0.9;     // the share of comparisons in which the shift has to be flagged
  int draws = 1000;
  std::uint64_t seed = 42;
};

// Returns the smallest shift that is flagged with that power if the noise is as in these differences, in
// their unit; nullopt for too few differences for any flag at alpha. Each seeded draw takes as many values as
// there are differences from the residuals and their negatives, widened by (n + 1) / (n - 1), since residuals
// of few pairs are smaller than the noise; in it the least shift that is flagged is max(flag_above -
// estimate, -lower bound). For power 0.9 that shift was flagged in 85 % (8 pairs) to 90 % (20 or more) of
// fresh comparisons with normal noise, in 80 to 89 % with Student's t of 2 degrees. Throws as
// hodges_lehmann().
std::optional<double> smallest_visible_shift(std::span<const double> differences,
                                             const ResolutionQuestion& question);

}  // namespace aqbench
