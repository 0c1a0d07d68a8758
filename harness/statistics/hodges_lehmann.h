#pragma once
// How large the shift is: the Hodges-Lehmann estimate with its exact confidence interval.
// Hodges and Lehmann, "Estimates of location based on rank tests", Ann. Math. Statist. 34, 1963; the interval
// inverts the signed-rank test (Hollander, Wolfe and Chicken, ch. 3.3).

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace aqbench {

struct ShiftInterval {
  double lower = 0;
  double upper = 0;
  double coverage = 0;  // actual, at least the confidence asked for; exact for symmetric continuous
                        // differences, a lower limit where they are tied
};

struct HodgesLehmann {
  double estimate = 0;                    // median of the Walsh averages, zeros included
  std::optional<ShiftInterval> interval;  // nullopt: too few differences, see minimum_pairs_for_interval
};

// Throws Error(input) "differences..." if empty, not finite or more than kMaxSignedRankPairs; Error(usage)
// unless 0 < confidence < 1.
HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence = 0.99);

// The fewest pairs whose widest interval reaches the confidence: 8 for 0.99.
std::size_t minimum_pairs_for_interval(double confidence);

// A check that assumes less: quantiles of the estimate over resampled differences (Efron's percentile
// interval). Approximate, and too narrow for few pairs.
struct BootstrapInterval {
  double lower = 0;
  double upper = 0;
  int draws = 0;
  std::uint64_t seed = 0;
};

// Throws as hodges_lehmann(); Error(usage) also if draws are too few for the confidence:
// draws >= 2 / (1 - confidence).
BootstrapInterval bootstrap_hodges_lehmann(std::span<const double> differences, double confidence, int draws,
                                           std::uint64_t seed);

}  // namespace aqbench
