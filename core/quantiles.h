#pragma once
// Quantiles and medians of samples, one function per definition; none accepts an empty span. Those of
// millions of errors, and weighted ones, are in metrics/numbers/order_statistics.h.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

namespace aqbench {

// Returns the quantile q (0 to 1) of sorted samples, linear between the order statistics around rank q (n -
// 1), as numpy's default (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996).
inline double quantile_of_sorted(std::span<const double> sorted, double q) {
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Returns the median of sorted samples; for an even count the mean of the two in the middle.
inline double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : std::midpoint(sorted[middle - 1], sorted[middle]);
}

// Returns the same for samples in any order.
inline double median_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  return median_of_sorted(samples);
}

// Return the median of the samples; for an even count the upper of the two in the middle, or the lower, as
// torch.median() does. Reorder them.
template <class Value>
Value upper_median_in_place(std::span<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
inline double lower_median_in_place(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace aqbench
