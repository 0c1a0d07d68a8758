#pragma once
// Mann-Whitney's rank-sum test of two separate samples. No command uses it: against a baseline from another
// hour it called 27.5 % of A/A runs slower at p < .05 (docs/statistics.md). The tests show that again. Mann
// and Whitney, "On a test of whether one of two random variables is stochastically larger than the other",
// Ann. Math. Statist. 18, 1947.

#include <cstddef>
#include <span>

namespace aqbench {

// Up to this many values in both samples together the null distribution is exact, ties or not; beyond it is
// the normal approximation with corrections for ties and continuity (Hollander, Wolfe and Chicken, ch. 4.1).
inline constexpr std::size_t kMaxExactRankSum = 100;

// Holds the result of the test.
struct RankSumTest {
  double u = 0;  // pairs (a, b) with b > a, ties as one half
  bool ties = false;
  bool exact = true;
  double p_greater = 1;  // P(U >= u): small when sample b is larger
  double p_less = 1;
  double p_two_sided = 1;  // twice the smaller one, at most 1
};

// Tests whether one sample tends to larger values. Throws Error(input) naming sample_a or sample_b if it is
// empty or not finite.
RankSumTest rank_sum_test(std::span<const double> sample_a, std::span<const double> sample_b);

}  // namespace aqbench
