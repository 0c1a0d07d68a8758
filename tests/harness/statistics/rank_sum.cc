#include "tests/harness/statistics/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

struct BothTails {
  double greater = 1;
  double less = 1;
};

// P(S >= sum) and P(S <= sum) of the sum S of `chosen` ranks drawn from all without replacement.
// ways[k][s]: share of the subsets of size k with sum s, times their number.
BothTails exact_tails(const std::vector<std::uint32_t>& ranks, std::size_t chosen, std::uint64_t sum) {
  const std::uint64_t total = std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0});
  const std::size_t row = total + 1;
  std::vector<double> ways((chosen + 1) * row);
  ways[0] = 1;
  std::uint64_t reached = 0;
  std::size_t seen = 0;
  for (const std::uint32_t rank : ranks) {
    reached += rank;
    ++seen;
    for (std::size_t size = std::min(seen, chosen); size > 0; --size) {
      const double* without = &ways[(size - 1) * row];
      double* with = &ways[size * row];
      for (std::uint64_t s = rank; s <= reached; ++s) with[s] += without[s - rank];
    }
  }
  const double* counts = &ways[chosen * row];
  const double below = std::accumulate(counts, counts + sum, 0.0);
  const double above = std::accumulate(counts + sum + 1, counts + row, 0.0);
  const double all = below + counts[sum] + above;
  return {(above + counts[sum]) / all, (below + counts[sum]) / all};
}

BothTails normal_tails(std::span<const double> pooled, double size_a, double size_b, double u) {
  std::map<double, double> counts;
  for (const double value : pooled) ++counts[value];
  double tied = 0;
  for (const auto& [value, count] : counts) tied += count * (count * count - 1);
  const double size = size_a + size_b;
  const double variance = size_a * size_b / 12 * (size + 1 - tied / (size * (size - 1)));
  if (variance <= 0) return {};  // all values the same
  const double mean = size_a * size_b / 2, sd = std::sqrt(variance);
  const auto normal_cdf = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  return {normal_cdf(-(u - mean - 0.5) / sd), normal_cdf((u - mean + 0.5) / sd)};
}

}  // namespace

RankSumTest rank_sum_test(std::span<const double> sample_a, std::span<const double> sample_b) {
  require_not_empty("sample_a", sample_a.size());
  require_not_empty("sample_b", sample_b.size());
  require_finite("sample_a", sample_a);
  require_finite("sample_b", sample_b);
  std::vector<double> pooled(sample_a.begin(), sample_a.end());
  pooled.insert(pooled.end(), sample_b.begin(), sample_b.end());
  const DoubledRanks ranks = doubled_mid_ranks(pooled);
  const std::uint64_t doubled_sum_b =
      std::accumulate(ranks.values.begin() + static_cast<std::ptrdiff_t>(sample_a.size()), ranks.values.end(),
                      std::uint64_t{0});
  const auto size_a = static_cast<double>(sample_a.size()), size_b = static_cast<double>(sample_b.size());

  RankSumTest test;
  test.ties = ranks.ties;
  test.u = static_cast<double>(doubled_sum_b) / 2 - size_b * (size_b + 1) / 2;
  test.exact = pooled.size() <= kMaxExactRankSum;
  const BothTails tails = test.exact ? exact_tails(ranks.values, sample_b.size(), doubled_sum_b)
                                     : normal_tails(pooled, size_a, size_b, test.u);
  test.p_greater = tails.greater;
  test.p_less = tails.less;
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_less, test.p_greater));
  return test;
}

}  // namespace aqbench
