#include "tests/harness/statistics/mcnemar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

// P(X >= k) of n fair coins from Pascal's triangle; exact for n <= 50.
double at_least(std::uint64_t k, std::uint64_t n) {
  double sum = 0, binomial = 1;
  for (std::uint64_t i = 0; i <= n; ++i) {
    if (i >= k) sum += binomial;
    binomial = binomial * static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return sum / std::exp2(static_cast<double>(n));
}

TEST(McNemar, EqualsBinomialSums) {
  for (std::uint64_t worse = 0; worse <= 20; ++worse) {
    for (std::uint64_t better = 0; better <= 20; ++better) {
      const McNemarTest test = mcnemar_test(worse, better);
      const double p_worse = at_least(worse, worse + better), p_better = at_least(better, worse + better);
      EXPECT_NEAR(test.p_worse, p_worse, 1e-13);
      EXPECT_NEAR(test.p_better, p_better, 1e-13);
      EXPECT_NEAR(test.p_two_sided, std::min(1.0, 2 * std::min(p_worse, p_better)), 1e-13);
    }
  }
}

TEST(McNemar, ByHand) {
  EXPECT_DOUBLE_EQ(mcnemar_test(7, 0).p_worse, 1.0 / 128);
  EXPECT_DOUBLE_EQ(mcnemar_test(0, 7).p_better, 1.0 / 128);
  EXPECT_EQ(mcnemar_test(0, 0).p_two_sided, 1);
}

TEST(McNemar, CountsFlips) {
  const McNemarTest test =
      mcnemar_test({true, true, false, true, false, true}, {true, false, true, false, false, false});
  EXPECT_EQ(test.worse, 3u);
  EXPECT_EQ(test.better, 1u);
  EXPECT_DOUBLE_EQ(test.p_worse, 5.0 / 16);
}

TEST(McNemar, RefusesUnequalLengthsAndNothing) {
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       mcnemar_test({true}, {true, false});
                     }),
            "passed_b: 2 values, but passed_a has 1");
  EXPECT_EQ(error_of(ErrorKind::input, [] { mcnemar_test(std::vector<bool>{}, std::vector<bool>{}); }),
            "passed_a: empty");
}

}  // namespace
}  // namespace aqbench
