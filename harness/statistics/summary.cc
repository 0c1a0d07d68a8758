#include "harness/statistics/summary.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "core/quantiles.h"

namespace aqbench {
namespace {

// Boost's incomplete beta function takes microseconds, and comparisons of as many pairs ask for the same
// values.
class Remembered {
 public:
  template <class Compute>
  double value(std::int64_t part, std::int64_t whole, double probability, const Compute& compute) {
    constexpr std::size_t kMaxValues = 10000;
    const std::tuple key(part, whole, probability);
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    if (values_.size() >= kMaxValues) values_.clear();
    return values_[key] = compute();
  }

 private:
  std::map<std::tuple<std::int64_t, std::int64_t, double>, double> values_;
};

// Sums differences from a first estimate, so that a large common part does not cost their digits.
double mean_of(std::span<const double> samples, double near) {
  double sum = 0;
  for (const double sample : samples) sum += sample - near;
  return near + sum / static_cast<double>(samples.size());
}

// P(fewer than k of n samples lie below the median), k = 0, 1, ...: the k-th smallest and k-th largest sample
// do not enclose the median with twice that probability.
std::optional<MedianInterval> median_interval(const std::vector<double>& sorted, double median,
                                              double confidence) {
  const auto n = static_cast<std::int64_t>(sorted.size());
  const double tail = (1 - confidence) / 2;
  std::int64_t rank = 0;
  for (std::int64_t end = n; rank < end;) {
    const std::int64_t middle = rank + (end - rank) / 2;
    if (fair_coins_cdf(middle, n) <= tail)
      rank = middle + 1;
    else
      end = middle;
  }
  if (rank == 0) return std::nullopt;
  MedianInterval interval;
  interval.lower = sorted[static_cast<std::size_t>(rank - 1)];
  interval.upper = sorted[static_cast<std::size_t>(n - rank)];
  interval.coverage = 1 - 2 * fair_coins_cdf(rank - 1, n);
  if (median > 0) interval.relative_half_width = (interval.upper - interval.lower) / 2 / median;
  return interval;
}

}  // namespace

void require_finite(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) throw input_error("{}[{}] is {}, must be finite", field, i, values[i]);
}

void require_positive(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::isfinite(values[i]) && values[i] > 0))
      throw input_error("{}[{}] is {}, must be finite and above 0", field, i, values[i]);
}

void require_equal_lengths(std::string_view field_a, std::size_t size_a, std::string_view field_b,
                           std::size_t size_b) {
  if (size_a != size_b) throw input_error("{}: {} values, but {} has {}", field_b, size_b, field_a, size_a);
}

void require_not_empty(std::string_view field, std::size_t size) {
  if (size == 0) throw input_error("{}: empty", field);
}

void require_between(std::string_view field, double value, double low, double high) {
  if (!(value > low && value < high))
    throw usage_error("{} is {}, must be above {} and below {}", field, value, low, high);
}

void require_at_least(std::string_view field, double value, double low) {
  if (!(std::isfinite(value) && value >= low))
    throw usage_error("{} is {}, must be at least {}", field, value, low);
}

void require_at_most(std::string_view field, double value, double high) {
  if (!(std::isfinite(value) && value <= high))
    throw usage_error("{} is {}, must be at most {}", field, value, high);
}

double student_t_two_sided(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::students_t(degrees), -std::abs(t));
}

double fair_coins_cdf(std::int64_t successes, std::int64_t trials) {
  if (successes < 0) return 0;
  if (successes >= trials) return 1;
  // P(X <= k) = I_{1/2}(n - k, k + 1)
  thread_local Remembered remembered;
  return remembered.value(successes, trials, 0.5, [&] {
    return boost::math::ibeta(static_cast<double>(trials - successes), static_cast<double>(successes) + 1,
                              0.5);
  });
}

double rate_upper_bound(std::int64_t events, std::int64_t trials, double confidence) {
  if (events >= trials) return 1;
  thread_local Remembered remembered;
  return remembered.value(events, trials, confidence, [&] {
    return boost::math::ibeta_inv(static_cast<double>(events) + 1, static_cast<double>(trials - events),
                                  confidence);
  });
}

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

  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  summary.sd = std::sqrt(squares / static_cast<double>(samples.size() - 1));
  if (mean > 0) summary.cv = *summary.sd / mean;
  summary.median_interval = median_interval(sorted, median, confidence);
  return summary;
}

}  // namespace aqbench
