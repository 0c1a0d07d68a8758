#pragma once
// The settings of a paired comparison, how many pairs it needs, and which side of each runs first.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/members.h"

namespace aqbench {

// The settings of a paired comparison.
struct PairedPolicy {
  // The chance of any false REGRESSED in all cases and looks together; that of any false FASTER is as large.
  double alpha = 0.01;
  double tau = 0.02;    // a change for the worse above this share is flagged; a case's own tau may raise it
  double delta = 0.05;  // PASS says that B is less than this share worse
  int looks = 1;        // planned looks at the data (the first and every top-up), each at alpha / looks
  double power = 0.9;   // how often a shift has to be flagged to count as visible
  int bootstrap_draws = 2000;   // at least 2 looks / alpha; 0: no bootstrap interval
  int resolution_draws = 1000;  // 0: the smallest visible shift is not computed
  std::uint64_t seed = 42;      // of both kinds of draws

  template <class Row>
  static void members(const Row& row) {
    row("alpha", &PairedPolicy::alpha);
    row("tau", &PairedPolicy::tau);
    row("delta", &PairedPolicy::delta);
    row("looks", &PairedPolicy::looks);
    row("power", &PairedPolicy::power);
    row("bootstrap_draws", &PairedPolicy::bootstrap_draws);
    row("resolution_draws", &PairedPolicy::resolution_draws);
    row("seed", &PairedPolicy::seed);
  }
};

// Throws Error(usage) naming the field unless 0 < alpha < 0.5, 0 <= tau <= delta < 1, delta above 0,
// 1 <= looks <= 100, 0.5 <= power < 1, and the draws are as said there.
void check(const PairedPolicy& policy);

// Returns the preset "sensitive", which flags what is more than 2 % worse and passes what is less than 5 %
// worse, or "gate": more than 5 %, less than 8 %. Throws Error(usage) naming the two.
PairedPolicy paired_policy(std::string_view name);

// The fewest warm runs of a unit.
inline constexpr std::size_t kMinWarmRuns = 3;

// Tosses the fair coin of this pair; returns whether B runs first.
bool b_runs_first(std::uint64_t seed, std::uint64_t pair);

// Returns the fewest pairs with `cases` >= 1 cases and the policy's looks. The smallest possible p must reach
// the level that Holm asks of it, sides 2^-n <= alpha / (cases x looks), where a time's test has one side and
// a metric's two, and the interval that PASS needs must exist, 2^(1-n) <= alpha / looks. For 4 cases and 3
// looks at alpha .01 that is 11, of metrics 12.
std::size_t minimum_pairs(const PairedPolicy& policy, std::size_t cases, int sides = 1);

// Throws Error(usage) naming `pairs` if these are fewer than the minimum, and as check().
void require_enough_pairs(const PairedPolicy& policy, std::size_t cases, std::size_t pairs);

}  // namespace aqbench
