#pragma once
// Learns tolerances for methods whose result differs from run to run.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/gating/baseline.h"

namespace aqbench {

// The fewest seeds that tolerances are learned from.
inline constexpr std::size_t kLeastSeeds = 5;

// Gives each metric of the baseline that varies over the seeds of `seeded` a tolerance of its own, such that
// a run of an unchanged method keeps within all of them in 99 % (docs/ci.md), and adds to `notes` from how
// many seeds. Cases are the same where their names are but for the seed. Those with fewer than kLeastSeeds
// seeds keep theirs. Throws Error(usage) if nothing could be learned, Error(not_comparable) where such cases
// ran with other options.
void learn_tolerances(const std::vector<BaselineCase>& seeded, Baseline& baseline,
                      std::vector<std::string>& notes);

// Makes learned tolerances smaller where no value could fail them: a metric whose higher values are better
// may fall by 90 % at most, however much seeds differ. Adds to `notes` how many were larger.
void cap_learned_tolerances(Baseline& baseline, std::vector<std::string>& notes);

}  // namespace aqbench
