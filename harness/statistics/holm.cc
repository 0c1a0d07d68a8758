#include "harness/statistics/holm.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace aqbench {

std::vector<double> holm(std::span<const double> p_values) {
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!(p_values[i] >= 0 && p_values[i] <= 1)) {
      throw Error(ErrorKind::input, fmt::format("p_values[{}] is {}, must be 0 to 1", i, p_values[i]));
    }
  }
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double so_far = 0;  // a larger p is never rejected before a smaller one
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto tests_left = static_cast<double>(order.size() - i);
    so_far = std::max(so_far, std::min(1.0, tests_left * p_values[order[i]]));
    adjusted[order[i]] = so_far;
  }
  return adjusted;
}

}  // namespace aqbench
