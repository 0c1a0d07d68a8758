#pragma once
// Wilcoxon's signed-rank test with its exact null distribution, ties or not.
// Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; the distribution by
// dynamic programming over the ranks as in Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods",
// 3rd ed., ch. 3.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace aqbench {

// Takes up to 1.5 s at this size; time grows with the cube.
inline constexpr std::size_t kMaxSignedRankPairs = 2048;

struct SignedRankTest {
  std::size_t pairs = 0;  // differences given
  std::size_t zeros = 0;  // dropped among them: a zero has no sign
  bool ties = false;      // among the |differences| that are left: mid-ranks were used
  double w_plus = 0;      // sum of the ranks of the positive differences
  double p_greater = 1;  // P(W+ >= w_plus) if every sign were a fair coin: small when differences are above 0
  double p_less = 1;     // P(W+ <= w_plus)
  double p_two_sided = 1;  // twice the smaller one, at most 1
};

// Differences are tied when their absolute values are the same number. All zeros: every p is 1. Throws
// Error(input) naming `field` if it is empty, longer than kMaxSignedRankPairs or not finite.
SignedRankTest signed_rank_test(std::span<const double> differences);

// The largest w with P(W+ <= w) <= tail for `pairs` differences without ties, and that probability. nullopt
// if there is none, since P(W+ <= 0) = 2^-pairs is above `tail` already. pairs <= kMaxSignedRankPairs.
struct SignedRankQuantile {
  std::uint64_t w = 0;
  double probability = 0;
};
std::optional<SignedRankQuantile> signed_rank_quantile(std::size_t pairs, double tail);

}  // namespace aqbench
