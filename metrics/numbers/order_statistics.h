#pragma once
// Percentiles and robust spreads. A percentile lies between order statistics by linear interpolation at rank
// q (n - 1), as numpy's default does. Sums run over fixed chunks, combined in order, so that no result
// depends on the thread count.

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace aqbench {

// Return the percentiles of `values`, and of |value - centre|, one for each q (0 to 1). `values` must not be
// empty and must hold no NaN. Made for millions: two passes over them, and no copy but of those near a
// percentile.
std::vector<double> percentiles(std::span<const double> values, std::initializer_list<double> qs);
std::vector<double> deviation_percentiles(std::span<const double> values, double centre,
                                          std::initializer_list<double> qs);

// Return a percentile, and the median, of few values, which they reorder.
double percentile_in_place(std::span<double> values, double q);
double median_in_place(std::span<double> values);

// The factor by which a median of deviations becomes the standard deviation if the values are normal: 1 /
// Phi^-1(3/4).
inline constexpr double kNmadScale = 1.4826;

// Returns 1.4826 median |v - median v|. Overwrites `values`.
double nmad_in_place(std::span<double> values);

// A value and the area it stands for.
struct WeightedValue {
  double value;
  double weight;
};

// Returns the smallest value v such that values <= v hold at least the share q of the total weight. Reorders
// `values`, which must not be empty.
double weighted_percentile_in_place(std::span<WeightedValue> values, double q);

// Returns the same of each share, without a copy of all values: for equal weights bit for bit, for others
// unless a share of the weight ends within rounding at a value.
std::vector<double> weighted_percentiles(std::span<const double> values, double weight,
                                         std::initializer_list<double> qs);
std::vector<double> weighted_percentiles(std::span<const double> values, std::span<const double> weights,
                                         std::initializer_list<double> qs);

// The number of values in a chunk of a sum, which are added one after the other.
inline constexpr std::size_t kSumGrain = 1 << 14;

}  // namespace aqbench
