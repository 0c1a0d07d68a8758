#pragma once
// Slow modes: runs far above the typical one, which the shortest run of a unit and the quieter half of the
// pairs leave out. How many there are on each side, whether B has more of them, and how many it might have
// unseen.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/statistics/paired_comparison.h"

namespace aqbench {

// The largest chance, over all looks together, of calling B's share of slow runs larger where it is not, and
// of a bound on its excess that is too low.
inline constexpr double kSlowRunAlpha = 0.01;

// PASS says that a slow mode of B alone in this share of its runs would have been seen.
inline constexpr double kMaxUnseenShare = 0.2;

// The runs of the units of one side, by pair; no unit is empty.
using UnitRuns = std::vector<std::vector<double>>;

// Finds slow runs: those worse than the median of all runs of both sides by more than `margin` > 0 on the
// scale.
// - The units' shares of slow runs are compared pair by pair with the exact signed-rank test, each look at
//   kSlowRunAlpha / looks: units, not runs, are the independent draws.
// - The bound on B's excess share holds over all looks together. For a share m, each pair multiplies a stake
// by
//   1 + c (m - d) / (1 - m), d being the excess in that pair and c a fixed part of the stake (several are
//   averaged). If the excess is m or more the stake does not grow on average, so it ever reaches
//   1 / kSlowRunAlpha with a chance of at most kSlowRunAlpha (Ville 1939; Waudby-Smith and Ramdas,
//   "Estimating means of bounded random variables by betting", JRSS B 86, 2024), however many runs of a unit
//   are slow together. The bound is the least m that is refuted so. Without a slow run it is below 20 % from
//   23 pairs on.
// Throws Error(input) for sides of other lengths, more than kMaxSignedRankPairs, and values that are not
// finite.
SlowRuns find_slow_runs(ShiftScale scale, double margin, const UnitRuns& a, const UnitRuns& b, int looks);

// Returns the 99 % upper bound, above, on the mean of `excess`, values of -1 to 1.
double excess_upper_bound(std::span<const double> excess);

// Returns about how many pairs like these bring that bound below kMaxUnseenShare; nullopt if no number does.
std::optional<std::size_t> pairs_for_excess_bound(std::span<const double> excess);

}  // namespace aqbench
