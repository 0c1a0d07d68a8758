#include "metrics/order_statistics.h"

#include <algorithm>
#include <cmath>

#include "scenes/core/parallel.h"

namespace aqbench {
namespace {

// The k-th smallest of values[first, end), where everything before `first` is known to be smaller.
double select(std::span<double> values, std::size_t k) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end());
  return values[k];
}

}  // namespace

double percentile_in_place(std::span<double> values, double q) {
  const double rank = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double fraction = rank - static_cast<double>(below);
  const double low = select(values, below);
  if (fraction == 0) return low;
  const double high = *std::ranges::min_element(values.subspan(below + 1));
  return low + fraction * (high - low);
}

double median_in_place(std::span<double> values) { return percentile_in_place(values, 0.5); }

double nmad_in_place(std::span<double> values) {
  const double centre = median_in_place(values);
  for (double& value : values) value = std::abs(value - centre);
  return 1.4826 * median_in_place(values);
}

double weighted_percentile_in_place(std::span<WeightedValue> values, double q) {
  double total = 0;
  for (const WeightedValue& item : values) total += item.weight;
  double wanted = q * total;
  // Quickselect by halves: linear on average, since nth_element is and each round halves what is left.
  while (values.size() > 1) {
    const std::size_t half = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end(),
                     [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
    double below = 0;
    for (const WeightedValue& item : values.first(half)) below += item.weight;
    if (below >= wanted) {
      values = values.first(half);
    } else {
      wanted -= below;
      values = values.subspan(half);
    }
  }
  return values.front().value;
}

double chunked_sum(std::size_t count,
                   const std::function<double(std::size_t begin, std::size_t end)>& sum_of) {
  std::vector<double> sums((count + kSumGrain - 1) / kSumGrain);
  parallel_for(count, kSumGrain,
               [&](std::size_t begin, std::size_t end) { sums[begin / kSumGrain] = sum_of(begin, end); });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace aqbench
