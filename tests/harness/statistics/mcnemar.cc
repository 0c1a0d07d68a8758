#include "tests/harness/statistics/mcnemar.h"

#include <algorithm>

#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"

namespace aqbench {

McNemarTest mcnemar_test(std::uint64_t worse, std::uint64_t better) {
  McNemarTest test;
  test.worse = worse;
  test.better = better;
  const auto flips = static_cast<std::int64_t>(worse + better);
  // P(X >= worse) = P(X <= better), since a fair coin is symmetric.
  test.p_worse = fair_coins_cdf(static_cast<std::int64_t>(better), flips);
  test.p_better = fair_coins_cdf(static_cast<std::int64_t>(worse), flips);
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_worse, test.p_better));
  return test;
}

McNemarTest mcnemar_test(const std::vector<bool>& passed_a, const std::vector<bool>& passed_b) {
  require_equal_lengths("passed_a", passed_a.size(), "passed_b", passed_b.size());
  require_not_empty("passed_a", passed_a.size());
  std::uint64_t worse = 0, better = 0;
  for (std::size_t i = 0; i < passed_a.size(); ++i) {
    if (passed_a[i] && !passed_b[i]) ++worse;
    if (!passed_a[i] && passed_b[i]) ++better;
  }
  return mcnemar_test(worse, better);
}

}  // namespace aqbench
