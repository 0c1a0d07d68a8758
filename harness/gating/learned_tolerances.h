#pragma once
// Tolerances for methods whose result is another one each time.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/gating/baseline.h"

namespace aqbench {

// Is the fewest seeds that tolerances are learned from.
inline constexpr std::size_t kLeastSeeds = 5;

// Gives each metric that varies over the seeds of a case a tolerance of its own, such that a run of an
// unchanged method keeps within all of them in 99 % (docs/ci.md), and adds to `notes` from how many seeds.
// Cases with fewer than kLeastSeeds seeds keep theirs. Throws Error(usage) if nothing could be learned.
void learn_tolerances(Baseline& baseline, std::vector<std::string>& notes);

}  // namespace aqbench
