#pragma once
// What one sample of measurements looks like.

#include <cstddef>
#include <optional>
#include <span>

namespace aqbench {

// Order statistics around the median: holds for any continuous distribution (independent samples).
struct MedianInterval {
  double lower = 0;
  double upper = 0;
  double coverage = 0;                        // actual, at least the confidence asked for
  std::optional<double> relative_half_width;  // (upper - lower) / 2 / median; needs a median above 0
};

// Undefined is nullopt, never 0; each line says what it needs.
struct SampleSummary {
  std::size_t n = 0;
  std::optional<double> mean, median, min, max;  // n >= 1
  std::optional<double> sd;                      // with n - 1; n >= 2
  std::optional<double> cv;                      // sd / mean; n >= 2, mean above 0
  std::optional<double> robust_cv;        // 1.4826 median |x - median| / median; n >= 2, median above 0
  std::optional<double> autocorrelation;  // lag 1, in the order given; n >= 3, sd above 0
  std::optional<MedianInterval> median_interval;  // 2^(1 - n) <= 1 - confidence: n >= 6 for 0.95, 8 for 0.99
};

// No samples: all undefined. Throws Error(input) "samples[3] is nan, must be finite", Error(usage) unless
// 0 < confidence < 1.
SampleSummary summarize(std::span<const double> samples, double confidence = 0.95);

}  // namespace aqbench
