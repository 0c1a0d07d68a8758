#pragma once
// Numbers of one sample of measurements, the distribution functions that the statistics need (Boost.Math),
// and checks of arguments, whose errors are one line that names the field.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace aqbench {

// Throws Error(input) "u_b[4] is nan, must be finite".
void require_finite(std::string_view field, std::span<const double> values);

// Throws Error(input) "u_b[4] is -1, must be finite and above 0".
void require_positive(std::string_view field, std::span<const double> values);

// Throws Error(input) "u_b: 3 values, but u_a has 4".
void require_equal_lengths(std::string_view field_a, std::size_t size_a, std::string_view field_b,
                           std::size_t size_b);

// Throws Error(input) "differences: empty".
void require_not_empty(std::string_view field, std::size_t size);

// Throws Error(usage) "alpha is 1.5, must be above 0 and below 1" unless low < value < high; for options.
void require_between(std::string_view field, double value, double low, double high);

// Throw Error(usage) "looks is 0, must be at least 1" and "..., must be at most 100"; for options.
void require_at_least(std::string_view field, double value, double low);
void require_at_most(std::string_view field, double value, double high);

// Returns P(|T| >= |t|) of Student's t distribution with `degrees` > 0; 1 for t = 0, 0 for an infinite t.
double student_t_two_sided(double t, double degrees);

// Returns P(X <= successes) for the heads of `trials` fair coins; 0 for successes < 0, 1 for
// successes >= trials.
double fair_coins_cdf(std::int64_t successes, std::int64_t trials);

// Returns the largest rate that `events` of `trials` > 0 allow, 0 <= events <= trials: the upper end of the
// one-sided exact interval of the given confidence (Clopper and Pearson 1934).
double rate_upper_bound(std::int64_t events, std::int64_t trials, double confidence);

// An interval for the median between two order statistics. It is valid for any continuous distribution of
// independent samples.
struct MedianInterval {
  double lower = 0;
  double upper = 0;
  double coverage = 0;                        // the actual one, at least the confidence asked for
  std::optional<double> relative_half_width;  // (upper - lower) / 2 / median; needs a median above 0
};

// The statistics of a sample. An undefined one is nullopt, never 0; the comments say what each needs.
struct SampleSummary {
  std::size_t n = 0;
  std::optional<double> mean, median, min, max;   // n >= 1
  std::optional<double> sd;                       // with n - 1; n >= 2
  std::optional<double> cv;                       // sd / mean; n >= 2, mean above 0
  std::optional<MedianInterval> median_interval;  // 2^(1 - n) <= 1 - confidence: n >= 6 for 0.95, 8 for 0.99
};

// Summarizes samples; without any, all is undefined. Throws Error(input) "samples[3] is nan, must be finite",
// Error(usage) unless 0 < confidence < 1.
SampleSummary summarize(std::span<const double> samples, double confidence = 0.95);

}  // namespace aqbench
