#pragma once
// Ranks with ties, and the null distribution of their sums. All is exact: mid-ranks are halves, so they are
// kept doubled, as integers.

#include <cstdint>
#include <span>
#include <vector>

namespace aqbench {

// Ranks with ties.
struct DoubledRanks {
  std::vector<std::uint32_t> values;  // twice the mid-rank (from 1) of each value, in the order given
  bool ties = false;
};

// Ranks values, which must be finite.
DoubledRanks doubled_mid_ranks(std::span<const double> values);

// Returns P(W = w) for w = 0 ... limit. Each weight has a fair coin, and W is the sum of the weights whose
// coin shows heads: the null distribution of the signed-rank statistic for any ranks, tied or not. Dynamic
// programming over the coins takes O(weights x limit). The relative error is at most weights x 1.1e-16,
// except for probabilities below 1e-308, which lose precision or become 0.
std::vector<double> coin_sum_probabilities(std::span<const std::uint32_t> weights, std::uint64_t limit);

}  // namespace aqbench
