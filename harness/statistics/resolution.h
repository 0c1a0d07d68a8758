#pragma once
// The smallest shift that a comparison could have seen.

#include <cstdint>
#include <optional>
#include <span>

namespace aqbench {

struct ResolutionQuestion {
  double flag_above = 0;  // the estimate has to exceed it for a flag
  double alpha = 0.01;    // of the one-sided signed-rank test: the strictest level that Holm may ask for
  double power = 0.9;     // in how many comparisons the shift has to be flagged
  int draws = 1000;
  std::uint64_t seed = 42;
};

// The smallest shift that is flagged with that power, in the unit of the differences, were their noise as it
// is in these: from seeded draws of as many differences from the symmetrised residuals (each residual or its
// negative), widened by (n + 1) / (n - 1) since residuals of few pairs are smaller than the noise and hide
// its tails. For one draw the least shift that is flagged is exactly max(flag_above - estimate, -lower
// bound), as both move along with the shift. A shift of that size was then flagged in 85 % (8 pairs) to 90 %
// (20 or more) of fresh comparisons with normal noise, 80 to 89 % with Student's t of 2 degrees, for power
// 0.9. nullopt: too few differences for any flag at alpha. Throws as hodges_lehmann(), Error(usage) unless
// draws >= 1, 0 < alpha < 0.5 and 0 < power < 1.
std::optional<double> smallest_visible_shift(std::span<const double> differences,
                                             const ResolutionQuestion& question);

}  // namespace aqbench
