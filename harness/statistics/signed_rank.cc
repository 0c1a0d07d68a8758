#include "harness/statistics/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/multiversion.h"
#include "harness/statistics/checks.h"

namespace aqbench {
namespace {

// next[w] = (now[w] + now[w - weight]) / 2 for w < size.
AQBENCH_MULTIVERSION
void toss_coin(const double* __restrict now, double* __restrict next, std::size_t weight, std::size_t size) {
  const std::size_t head = std::min(weight, size);
  for (std::size_t w = 0; w < head; ++w) next[w] = 0.5 * now[w];
  for (std::size_t w = 0; w < size - head; ++w) next[head + w] = 0.5 * (now[head + w] + now[w]);
}

// P(W <= w) and P(W < w).
struct LowerTails {
  double up_to_w = 0;
  double below_w = 0;
};

// Returns P(W = w) for w = 0 ... limit. Each weight has a fair coin, and W is the sum of the weights whose
// coin shows heads: the null distribution of the signed-rank statistic for any ranks, tied or not. Dynamic
// programming over the coins takes O(weights x limit). The relative error is at most weights x 1.1e-16,
// except for probabilities below 1e-308, which lose precision or become 0.
std::vector<double> coin_sum_probabilities(std::span<const std::uint32_t> weights, std::uint64_t limit) {
  // Small weights first, so that the range in use grows slowly.
  std::vector<std::uint32_t> sorted(weights.begin(), weights.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> now(limit + 1), next(limit + 1);
  // Scaled up, so that the far tail of many coins does not pass through subnormal numbers, which are slow.
  now[0] = 0x1p1000;
  std::uint64_t reached = 0;
  for (const std::uint32_t weight : sorted) {
    reached = std::min<std::uint64_t>(reached + weight, limit);
    toss_coin(now.data(), next.data(), weight, reached + 1);
    now.swap(next);
  }
  for (double& probability : now) probability *= 0x1p-1000;
  return now;
}

// Weights are doubled ranks and so is w.
LowerTails lower_tails(std::vector<std::uint32_t> weights, std::uint64_t w) {
  const bool all_even = std::all_of(weights.begin(), weights.end(), [](auto v) { return v % 2 == 0; });
  if (all_even) {  // no ties, or only of odd size: plain ranks take half the work
    for (auto& weight : weights) weight /= 2;
    w /= 2;
  }
  const std::vector<double> probabilities = coin_sum_probabilities(weights, w);
  const double below = std::accumulate(probabilities.begin(), probabilities.end() - 1, 0.0);
  return {below + probabilities.back(), below};
}

}  // namespace

DoubledRanks doubled_mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  DoubledRanks ranks;
  ranks.values.resize(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    if (end - begin > 1) ranks.ties = true;
    // Twice the mean of the ranks begin + 1 ... end.
    const auto doubled = static_cast<std::uint32_t>(begin + 1 + end);
    for (std::size_t i = begin; i < end; ++i) ranks.values[order[i]] = doubled;
    begin = end;
  }
  return ranks;
}

SignedRankTest signed_rank_test(std::span<const double> differences) {
  require_not_empty("differences", differences.size());
  require_finite("differences", differences);
  if (differences.size() > kMaxSignedRankPairs)
    throw input_error("differences: {} values, at most {} can be tested exactly", differences.size(),
                      kMaxSignedRankPairs);
  SignedRankTest test;
  test.pairs = differences.size();
  std::vector<double> magnitudes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    magnitudes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  test.zeros = test.pairs - magnitudes.size();
  if (magnitudes.empty()) return test;

  const DoubledRanks ranks = doubled_mid_ranks(magnitudes);
  test.ties = ranks.ties;
  std::uint64_t doubled_w = 0;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    if (positive[i]) doubled_w += ranks.values[i];
  }
  test.w_plus = static_cast<double>(doubled_w) / 2;
  // The distribution is symmetric, so only its lower half is computed, and a small tail keeps its digits.
  const std::uint64_t doubled_total =
      std::accumulate(ranks.values.begin(), ranks.values.end(), std::uint64_t{0});
  const bool low = 2 * doubled_w <= doubled_total;
  const LowerTails tails = lower_tails(ranks.values, low ? doubled_w : doubled_total - doubled_w);
  (low ? test.p_less : test.p_greater) = tails.up_to_w;
  (low ? test.p_greater : test.p_less) = 1 - tails.below_w;
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_less, test.p_greater));
  return test;
}

std::optional<SignedRankQuantile> signed_rank_quantile(std::size_t pairs, double tail) {
  std::vector<std::uint32_t> ranks(pairs);
  std::iota(ranks.begin(), ranks.end(), 1u);
  const std::uint64_t total = pairs * (pairs + 1) / 2;
  const std::vector<double> probabilities = coin_sum_probabilities(ranks, total / 2);
  std::optional<SignedRankQuantile> quantile;
  double sum = 0;
  for (std::uint64_t w = 0; w < probabilities.size(); ++w) {
    sum += probabilities[w];
    if (sum > tail) break;
    quantile = SignedRankQuantile{w, sum};
  }
  return quantile;
}

}  // namespace aqbench
