#include "harness/statistics/policy.h"

#include <cmath>

#include "core/error.h"
#include "core/parameters.h"
#include "harness/statistics/checks.h"

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

const std::vector<NamedPairedPolicy>& paired_policies() {
  static const std::vector<NamedPairedPolicy> policies = [] {
    PairedPolicy gate;
    gate.tau = 0.05;
    gate.delta = 0.08;
    return std::vector<NamedPairedPolicy>{
        {"sensitive", "flags what is more than 2 % worse, passes what is less than 5 % worse", {}},
        {"gate", "what builds are gated on: flags more than 5 %, passes less than 8 %", gate}};
  }();
  return policies;
}

PairedPolicy paired_policy(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& named : paired_policies()) {
    if (named.name == name) return named.policy;
    names.push_back(named.name);
  }
  throw Error(ErrorKind::usage, unknown_name_message("policy", name, names));
}

}  // namespace aqbench
