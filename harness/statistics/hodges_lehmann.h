#pragma once
// How large a shift is: the Hodges-Lehmann estimate with its exact confidence interval, a bootstrap interval
// to check it, and the smallest shift that could have been seen. Hodges and Lehmann, "Estimates of location
// based on rank tests", Ann. Math. Statist. 34, 1963; the interval inverts the signed-rank test (Hollander,
// Wolfe and Chicken, ch. 3.3).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace aqbench {

// Returns the rank-th smallest Walsh average, (x_i + x_j) / 2 with i <= j, of `sorted`, which is ascending,
// finite and not empty. 1 <= rank <= n (n + 1) / 2. The averages are never listed: bisection over the
// doubles, with a count in O(n) at each step, finds the exact answer in O(64 n).
double walsh_average(std::span<const double> sorted, std::uint64_t rank);

// Returns the middle Walsh average, or the mean of the two middle ones: the Hodges-Lehmann estimate.
double median_walsh_average(std::span<const double> sorted);

// A confidence interval.
struct ShiftInterval {
  double lower = 0;
  double upper = 0;
  double coverage = 0;  // the actual one, at least the confidence asked for; exact for symmetric continuous
                        // differences, a lower limit where differences are tied
};

// An estimate and its interval, in the unit of the differences.
struct HodgesLehmann {
  double estimate = 0;                    // median of the Walsh averages, zeros included
  std::optional<ShiftInterval> interval;  // nullopt for fewer than minimum_pairs_for_interval() differences
};

// Estimates the shift of the differences. Throws Error(input) "differences..." if there are none or more than
// kMaxSignedRankPairs, or if one is not finite; Error(usage) unless 0 < confidence < 1.
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

// Draws the bootstrap interval. Throws as hodges_lehmann(), and Error(usage) unless
// draws >= 2 / (1 - confidence).
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
// their unit; nullopt for too few differences for any flag at alpha. Each of the seeded draws takes as many
// values as there are differences from the residuals and their negatives. Residuals of few pairs are smaller
// than the noise and miss its tails, so they are widened by (n + 1) / (n - 1). In one draw the least shift
// that is flagged is exactly max(flag_above - estimate, -lower bound), since both move along with the shift.
// For power 0.9 a shift of the size returned was flagged in 85 % (8 pairs) to 90 % (20 or more) of fresh
// comparisons with normal noise, and in 80 to 89 % with Student's t of 2 degrees. Throws as hodges_lehmann(),
// and Error(usage) unless draws >= 1, 0 < alpha < 0.5 and 0 < power < 1.
std::optional<double> smallest_visible_shift(std::span<const double> differences,
                                             const ResolutionQuestion& question);

}  // namespace aqbench
