#include "harness/statistics/ranks.h"

#include <algorithm>
#include <numeric>

#include "core/multiversion.h"

namespace aqbench {
namespace {

// next[w] = (now[w] + now[w - weight]) / 2 for w < size.
AQBENCH_MULTIVERSION
void toss_coin(const double* __restrict now, double* __restrict next, std::size_t weight, std::size_t size) {
  const std::size_t head = std::min(weight, size);
  for (std::size_t w = 0; w < head; ++w) next[w] = 0.5 * now[w];
  for (std::size_t w = 0; w < size - head; ++w) next[head + w] = 0.5 * (now[head + w] + now[w]);
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

}  // namespace aqbench
