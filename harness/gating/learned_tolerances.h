#pragma once
// Learns tolerances for methods whose result differs between runs.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/gating/baseline.h"

namespace aqbench {

// The fewest seeds for learning tolerances.
inline constexpr std::size_t kLeastSeeds = 5;

// Sets a tolerance for each metric of the baseline that varies over the seeds of `seeded`, such that a run of
// an unchanged method is within all of them in 99 % (docs/ci.md), and adds the numbers of seeds to `notes`.
// Cases are equal if their names differ only in the seed. Those with fewer than kLeastSeeds seeds keep
// theirs. Throws Error(usage) if nothing could be learned, Error(not_comparable) if such cases ran with other
// options.
void learn_tolerances(const std::vector<BaselineCase>& seeded, Baseline& baseline,
                      std::vector<std::string>& notes);

// Reduces learned tolerances that no value could exceed: a metric whose higher values are better may fall by
// 90 % at most. Adds the number of reduced ones to `notes`.
void cap_learned_tolerances(Baseline& baseline, std::vector<std::string>& notes);

}  // namespace aqbench
