#pragma once
// The settings of a paired comparison and their named presets.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// A preset with its name.
struct NamedPairedPolicy {
  std::string name;
  std::string help;
  PairedPolicy policy;
};
// Returns the presets: "sensitive", the default, and "gate".
const std::vector<NamedPairedPolicy>& paired_policies();

// Returns a preset. Throws Error(usage) naming the ones there are.
PairedPolicy paired_policy(std::string_view name);

}  // namespace aqbench
