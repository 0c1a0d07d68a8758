#pragma once
// Ranks with ties, and the null distributions of rank sums. All exact: mid-ranks are halves, so they are kept
// doubled, as integers.

#include <cstdint>
#include <span>
#include <vector>

namespace aqbench {

struct DoubledRanks {
  std::vector<std::uint32_t> values;  // twice the mid-rank (1-based) of each value, in the order given
  bool ties = false;
};

// Values must be finite.
DoubledRanks doubled_mid_ranks(std::span<const double> values);

// P(W = w) for w = 0 ... limit, where W is the sum of those weights whose fair coin shows heads: the null
// distribution of the signed-rank statistic for any ranks, tied or not. Dynamic programming over the coins,
// O(weights x limit). Entries below 1e-308 lose precision or vanish; the others are good to
// weights x 1.1e-16.
std::vector<double> coin_sum_probabilities(std::span<const std::uint32_t> weights, std::uint64_t limit);

}  // namespace aqbench
