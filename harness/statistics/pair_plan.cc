#include "harness/statistics/pair_plan.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/text.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {

void check(const PairedPolicy& policy) {
  require_between("alpha", policy.alpha, 0, 0.5);
  require_at_least("tau", policy.tau, 0);
  require_between("delta", policy.delta, 0, 1);
  if (policy.tau > policy.delta)
    throw usage_error("tau is {}, must not be above delta, which is {}", policy.tau, policy.delta);
  require_at_least("looks", policy.looks, 1);
  require_at_most("looks", policy.looks, 100);
  require_at_least("power", policy.power, 0.5);
  require_between("power", policy.power, 0, 1);
  require_at_least("resolution_draws", policy.resolution_draws, 0);
  if (policy.bootstrap_draws != 0)
    require_at_least("bootstrap_draws", policy.bootstrap_draws, std::ceil(2 * policy.looks / policy.alpha));
}

PairedPolicy paired_policy(std::string_view name) {
  if (name != "sensitive" && name != "gate")
    throw Error(ErrorKind::usage, unknown_name_message("policy", name, {"sensitive", "gate"}));
  PairedPolicy policy;
  if (name == "gate") {
    policy.tau = 0.05;
    policy.delta = 0.08;
  }
  return policy;
}

bool b_runs_first(std::uint64_t seed, std::uint64_t pair) {
  return uniform01({seed, RandomStream::pair_order}, pair) < 0.5;
}

std::size_t minimum_pairs(const PairedPolicy& policy, std::size_t cases, int sides) {
  check(policy);
  require_at_least("cases", static_cast<double>(cases), 1);
  const double level = policy.alpha / (static_cast<double>(cases) * policy.looks);
  int pairs = 1;
  while (std::ldexp(sides, -pairs) > level) ++pairs;
  return std::max(static_cast<std::size_t>(pairs),
                  minimum_pairs_for_interval(1 - policy.alpha / policy.looks));
}

void require_enough_pairs(const PairedPolicy& policy, std::size_t cases, std::size_t pairs) {
  if (const std::size_t minimum = minimum_pairs(policy, cases); pairs < minimum)
    throw usage_error("pairs: {} are too few: {} x {} at alpha {} need {}", pairs,
                      counted(cases, "comparison"), counted(static_cast<std::size_t>(policy.looks), "look"),
                      policy.alpha, minimum);
}

}  // namespace aqbench
