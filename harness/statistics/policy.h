#pragma once
// The settings of a paired comparison and their named presets.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

struct PairedPolicy {
  double alpha =
      0.01;           // chance of any false REGRESSED in all cases and looks together; FASTER: the same again
  double tau = 0.02;  // a change for the worse is flagged above this share; a case's own tau may raise it
  double delta = 0.05;         // PASS says that B is less than this share worse
  int looks = 1;               // planned looks at the data, the first and every top-up: each at alpha / looks
  double power = 0.9;          // what "could have seen" means: this often
  int bootstrap_draws = 2000;  // 0: no bootstrap interval; else at least 2 looks / alpha
  int resolution_draws = 1000;  // 0: the smallest effect that could have been seen is not worked out
  std::uint64_t seed = 42;      // of both
};

// Throws Error(usage) naming the field: 0 < alpha < 0.5, 0 <= tau <= delta < 1, delta above 0, 1 to 100
// looks, 0.5 <= power < 1.
void check(const PairedPolicy& policy);

struct NamedPairedPolicy {
  std::string name;
  std::string help;
  PairedPolicy policy;
};
// "sensitive", the default, and "gate".
const std::vector<NamedPairedPolicy>& paired_policies();

// Throws Error(usage) naming the ones there are.
PairedPolicy paired_policy(std::string_view name);

}  // namespace aqbench
