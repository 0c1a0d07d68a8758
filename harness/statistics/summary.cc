#include "harness/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/quantiles.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"

namespace aqbench {
namespace {

constexpr double kNormalMad = 1.4826022185056018;  // 1 / the upper quartile of a standard normal

// Sums differences from a first estimate, so that a large common part does not cost their digits.
double mean_of(std::span<const double> samples, double near) {
  double sum = 0;
  for (const double sample : samples) sum += sample - near;
  return near + sum / static_cast<double>(samples.size());
}

double median_deviation(std::span<const double> samples, double median) {
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) deviations.push_back(std::abs(sample - median));
  std::sort(deviations.begin(), deviations.end());
  return median_of_sorted(deviations);
}

// P(fewer than k of n samples lie below the median), k = 0, 1, ...: the k-th smallest and k-th largest sample
// do not enclose the median with twice that probability.
std::optional<MedianInterval> median_interval(const std::vector<double>& sorted, double median,
                                              double confidence) {
  const auto n = static_cast<std::int64_t>(sorted.size());
  const double tail = (1 - confidence) / 2;
  std::int64_t rank = 0;
  while (rank < n && fair_coins_cdf(rank, n) <= tail) ++rank;
  if (rank == 0) return std::nullopt;
  MedianInterval interval;
  interval.lower = sorted[static_cast<std::size_t>(rank - 1)];
  interval.upper = sorted[static_cast<std::size_t>(n - rank)];
  interval.coverage = 1 - 2 * fair_coins_cdf(rank - 1, n);
  if (median > 0) interval.relative_half_width = (interval.upper - interval.lower) / 2 / median;
  return interval;
}

}  // namespace

SampleSummary summarize(std::span<const double> samples, double confidence) {
  require_between("confidence", confidence, 0, 1);
  require_finite("samples", samples);
  SampleSummary summary;
  summary.n = samples.size();
  if (samples.empty()) return summary;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double median = median_of_sorted(sorted), mean = mean_of(samples, median);
  summary.mean = mean;
  summary.median = median;
  summary.min = sorted.front();
  summary.max = sorted.back();
  if (samples.size() < 2) return summary;

  double squares = 0, neighbours = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    squares += (samples[i] - mean) * (samples[i] - mean);
    if (i > 0) neighbours += (samples[i] - mean) * (samples[i - 1] - mean);
  }
  summary.sd = std::sqrt(squares / static_cast<double>(samples.size() - 1));
  if (mean > 0) summary.cv = *summary.sd / mean;
  if (median > 0) summary.robust_cv = kNormalMad * median_deviation(samples, median) / median;
  if (samples.size() >= 3 && squares > 0) summary.autocorrelation = neighbours / squares;
  summary.median_interval = median_interval(sorted, median, confidence);
  return summary;
}

}  // namespace aqbench
