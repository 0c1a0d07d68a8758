#pragma once
// Mean, median, spread and autocorrelation of one sample of measurements.

#include <cstddef>
#include <optional>
#include <span>

namespace aqbench {

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
  std::optional<double> mean, median, min, max;  // n >= 1
  std::optional<double> sd;                      // with n - 1; n >= 2
  std::optional<double> cv;                      // sd / mean; n >= 2, mean above 0
  std::optional<double> robust_cv;        // 1.4826 median |x - median| / median; n >= 2, median above 0
  std::optional<double> autocorrelation;  // lag 1, in the order given; n >= 3, sd above 0
  std::optional<MedianInterval> median_interval;  // 2^(1 - n) <= 1 - confidence: n >= 6 for 0.95, 8 for 0.99
};

// Summarizes samples; without any, all is undefined. Throws Error(input) "samples[3] is nan, must be finite",
// Error(usage) unless 0 < confidence < 1.
SampleSummary summarize(std::span<const double> samples, double confidence = 0.95);

}  // namespace aqbench
