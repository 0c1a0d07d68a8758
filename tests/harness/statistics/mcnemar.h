#pragma once
// Whether more cases flipped from pass to fail than from fail to pass: the exact test. No command uses it.
// McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
// Psychometrika 12, 1947; exact form: among the flips, each direction is a fair coin.

#include <cstdint>
#include <vector>

namespace aqbench {

// Holds the result of the test.
struct McNemarTest {
  std::uint64_t worse = 0;   // A passed, B failed
  std::uint64_t better = 0;  // A failed, B passed
  double p_worse = 1;        // P(at least `worse` of the flips by chance)
  double p_better = 1;
  double p_two_sided = 1;  // twice the smaller one, at most 1
};

// Tests two counts of flips. Without flips every p is 1.
McNemarTest mcnemar_test(std::uint64_t worse, std::uint64_t better);

// Counts the flips of paired outcomes, true = passed, and tests them. Throws Error(input) if the lengths
// differ or there are none.
McNemarTest mcnemar_test(const std::vector<bool>& passed_a, const std::vector<bool>& passed_b);

}  // namespace aqbench
