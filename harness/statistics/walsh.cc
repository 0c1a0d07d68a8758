#include "harness/statistics/walsh.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

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

}  // namespace aqbench
