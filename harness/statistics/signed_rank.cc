#include "harness/statistics/signed_rank.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "core/multiversion.h"
#include "core/random.h"
#include "harness/statistics/summary.h"

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

// Maps doubles to integers in the same order: -0 and 0 to 0, the next double to the next integer.
std::int64_t order_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

double value_at(std::int64_t order) {
  return std::bit_cast<double>(order < 0 ? std::numeric_limits<std::int64_t>::min() - order : order);
}

// Halved before they are added, so that it neither overflows nor loses its order.
double average(double a, double b) { return 0.5 * a + 0.5 * b; }

std::uint64_t count_at_most(std::span<const double> sorted, double limit) {
  std::uint64_t count = 0;
  std::size_t end = sorted.size();  // averages of `begin` with [begin, end) are at most `limit`
  for (std::size_t begin = 0; begin < end; ++begin) {
    while (end > begin && average(sorted[begin], sorted[end - 1]) > limit) --end;
    count += end - begin;
  }
  return count;
}

// The smallest average above `limit`; infinite if there is none.
double next_average(std::span<const double> sorted, double limit) {
  double next = std::numeric_limits<double>::infinity();
  std::size_t end = sorted.size();
  for (std::size_t begin = 0; begin < sorted.size(); ++begin) {
    while (end > begin && average(sorted[begin], sorted[end - 1]) > limit) --end;
    const std::size_t first_above = std::max(begin, end);
    if (first_above < sorted.size()) next = std::min(next, average(sorted[begin], sorted[first_above]));
  }
  return next;
}

void check_differences(std::span<const double> differences) {
  require_not_empty("differences", differences.size());
  require_finite("differences", differences);
  if (differences.size() > kMaxSignedRankPairs)
    throw input_error("differences: {} values, at most {} can be tested exactly", differences.size(),
                      kMaxSignedRankPairs);
}

std::vector<double> sorted_differences(std::span<const double> differences) {
  check_differences(differences);
  std::vector<double> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Ranks with ties. Mid-ranks are halves; doubled they are exact integers.
struct DoubledRanks {
  std::vector<std::uint32_t> values;  // twice the mid-rank (from 1) of each value, in the order given
  bool ties = false;
};

DoubledRanks doubled_mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
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

}  // namespace

SignedRankTest signed_rank_test(std::span<const double> differences) {
  check_differences(differences);
  SignedRankTest test;
  std::vector<double> magnitudes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    magnitudes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  test.zeros = differences.size() - magnitudes.size();
  if (magnitudes.empty()) return test;

  const DoubledRanks ranks = doubled_mid_ranks(magnitudes);
  test.ties = ranks.ties;
  std::uint64_t doubled_w = 0;
  for (std::size_t i = 0; i < positive.size(); ++i)
    if (positive[i]) doubled_w += ranks.values[i];
  // The distribution is symmetric, so only its lower half is computed, and a small tail keeps its digits.
  const std::uint64_t doubled_total =
      std::accumulate(ranks.values.begin(), ranks.values.end(), std::uint64_t{0});
  const bool low = 2 * doubled_w <= doubled_total;
  const LowerTails tails = lower_tails(ranks.values, low ? doubled_w : doubled_total - doubled_w);
  (low ? test.p_less : test.p_greater) = tails.up_to_w;
  (low ? test.p_greater : test.p_less) = 1 - tails.below_w;
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

double walsh_average(std::span<const double> sorted, std::uint64_t rank) {
  std::int64_t low = order_of(sorted.front()), high = order_of(sorted.back());
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);  // rounds towards low
    if (count_at_most(sorted, value_at(middle)) >= rank)
      high = middle;
    else
      low = middle + 1;
  }
  return value_at(low);
}

double median_walsh_average(std::span<const double> sorted) {
  const std::uint64_t count = std::uint64_t{sorted.size()} * (sorted.size() + 1) / 2;
  const double lower = walsh_average(sorted, (count + 1) / 2);
  if (count % 2 == 1 || count_at_most(sorted, lower) > count / 2) return lower;
  return average(lower, next_average(sorted, lower));
}

HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence) {
  const std::vector<double> sorted = sorted_differences(differences);
  HodgesLehmann result;
  result.estimate = median_walsh_average(sorted);
  // The shifts that the two-sided test keeps lie between the (w + 1)-th averages from either end.
  const auto quantile = signed_rank_quantile(sorted.size(), (1 - confidence) / 2);
  if (quantile) {
    const std::uint64_t averages = std::uint64_t{sorted.size()} * (sorted.size() + 1) / 2;
    result.interval =
        ShiftInterval{walsh_average(sorted, quantile->w + 1), walsh_average(sorted, averages - quantile->w),
                      1 - 2 * quantile->probability};
  }
  return result;
}

std::size_t minimum_pairs_for_interval(double confidence) {
  int pairs = 1;
  while (std::ldexp(1.0, 1 - pairs) > 1 - confidence) ++pairs;
  return static_cast<std::size_t>(pairs);
}

BootstrapInterval bootstrap_hodges_lehmann(std::span<const double> differences, double confidence, int draws,
                                           std::uint64_t seed) {
  constexpr double kRounding = 1e-9;  // of the draws outside
  const std::vector<double> sorted = sorted_differences(differences);
  const RandomKey key{seed, RandomStream::bootstrap};
  const auto size = static_cast<double>(sorted.size());
  std::vector<double> estimates(static_cast<std::size_t>(draws));
  std::vector<double> sample(sorted.size());
  for (std::size_t draw = 0; draw < estimates.size(); ++draw) {
    for (std::size_t i = 0; i < sample.size(); i += 2) {
      const auto u = uniform01_pair(key, draw, static_cast<std::uint32_t>(i / 2));
      sample[i] = sorted[static_cast<std::size_t>(u[0] * size)];
      if (i + 1 < sample.size()) sample[i + 1] = sorted[static_cast<std::size_t>(u[1] * size)];
    }
    std::sort(sample.begin(), sample.end());
    estimates[draw] = median_walsh_average(sample);
  }
  std::sort(estimates.begin(), estimates.end());
  const auto outside = static_cast<std::size_t>((1 - confidence) / 2 * draws + kRounding);  // on each side
  return {estimates[outside], estimates[estimates.size() - 1 - outside], draws, seed};
}

std::optional<double> smallest_visible_shift(std::span<const double> differences,
                                             const ResolutionQuestion& question) {
  const double estimate = hodges_lehmann(differences).estimate;
  const auto quantile = signed_rank_quantile(differences.size(), question.alpha);
  if (!quantile) return std::nullopt;

  const RandomKey key{question.seed, RandomStream::resolution};
  const auto n = static_cast<double>(differences.size());  // at least 2, as there is a quantile
  const double widening = (n + 1) / (n - 1);
  const auto choices = 2 * static_cast<double>(differences.size());
  std::vector<double> sample(differences.size());
  std::vector<double> needed(static_cast<std::size_t>(question.draws));
  for (std::size_t draw = 0; draw < needed.size(); ++draw) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const auto choice =
          static_cast<std::size_t>(uniform01(key, draw, static_cast<std::uint32_t>(i)) * choices);
      const double residual = widening * (differences[choice / 2] - estimate);
      sample[i] = choice % 2 == 0 ? residual : -residual;
    }
    std::sort(sample.begin(), sample.end());
    // The test rejects once the (w + 1)-th smallest Walsh average is above 0.
    needed[draw] =
        std::max(question.flag_above - median_walsh_average(sample), -walsh_average(sample, quantile->w + 1));
  }
  std::sort(needed.begin(), needed.end());
  const double rank = std::ceil(question.power * question.draws);
  return needed[static_cast<std::size_t>(rank) - 1];
}

}  // namespace aqbench
