#include "harness/statistics/hodges_lehmann.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/signed_rank.h"

namespace aqbench {
namespace {

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

std::vector<double> sorted_differences(std::span<const double> differences) {
  require_not_empty("differences", differences.size());
  require_finite("differences", differences);
  if (differences.size() > kMaxSignedRankPairs)
    throw input_error("differences: {} values, at most {}", differences.size(), kMaxSignedRankPairs);
  std::vector<double> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double walsh_average(std::span<const double> sorted, std::uint64_t rank) {
  std::int64_t low = order_of(sorted.front()), high = order_of(sorted.back());
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);  // rounds towards low
    if (count_at_most(sorted, value_at(middle)) >= rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
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
  require_between("confidence", confidence, 0, 1);
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
  require_between("confidence", confidence, 0, 1);
  int pairs = 1;
  while (std::ldexp(1.0, 1 - pairs) > 1 - confidence) ++pairs;
  return static_cast<std::size_t>(pairs);
}

BootstrapInterval bootstrap_hodges_lehmann(std::span<const double> differences, double confidence, int draws,
                                           std::uint64_t seed) {
  require_between("confidence", confidence, 0, 1);
  constexpr double kRounding = 1e-9;  // of 1 - confidence, so that 0.9 needs 20 draws and not 21
  require_at_least("bootstrap_draws", draws, std::ceil(2 / (1 - confidence) - kRounding));
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
  require_between("alpha", question.alpha, 0, 0.5);
  require_between("power", question.power, 0, 1);
  require_at_least("draws", question.draws, 1);
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
