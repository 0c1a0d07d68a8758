#pragma once
// Wilcoxon's signed-rank test with its exact null distribution, with ties or without.
// Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; the distribution by
// dynamic programming over the ranks as in Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods",
// 3rd ed., ch. 3.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aqbench {

// Ranks with ties. Mid-ranks are halves; doubled they are exact integers.
struct DoubledRanks {
  std::vector<std::uint32_t> values;  // twice the mid-rank (from 1) of each value, in the order given
  bool ties = false;
};

// Ranks values, which must be finite.
DoubledRanks doubled_mid_ranks(std::span<const double> values);

// The most differences of one test. That many take up to 1.5 s; the time grows with their cube.
inline constexpr std::size_t kMaxSignedRankPairs = 2048;

// The result of the test.
struct SignedRankTest {
  std::size_t pairs = 0;   // differences given
  std::size_t zeros = 0;   // of these, dropped because a zero has no sign
  bool ties = false;       // some of the other |differences| are equal: mid-ranks were used
  double w_plus = 0;       // sum of the ranks of the positive differences
  double p_greater = 1;    // P(W+ >= w_plus) under fair coins: small if the differences are above 0
  double p_less = 1;       // P(W+ <= w_plus)
  double p_two_sided = 1;  // twice the smaller one, at most 1
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

}  // namespace aqbench
