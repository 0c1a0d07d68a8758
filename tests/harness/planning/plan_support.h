#pragma once
// Plans from the catalogue of support.h, and what tests ask of them.

#include <functional>
#include <stdexcept>
#include <string>

#include "harness/planning/plan.h"
#include "tests/harness/support.h"

namespace aqbench::test {

inline SweepPlan plan(const PlanRequest& request) { return plan_sweep(request, fake_catalogue()); }

inline std::string usage_message(const PlanRequest& request) {
  return error_of(ErrorKind::usage, [&] { plan(request); });
}

inline PlanRequest with(const std::function<void(PlanRequest&)>& change) {
  PlanRequest request;
  change(request);
  return request;
}

// Throws std::out_of_range if the case has no option `key`.
inline const ParameterValue& option(const Case& planned, const std::string& key) {
  const ParameterValue* const found = find_option(planned, key);
  if (found == nullptr) throw std::out_of_range(key);
  return *found;
}

}  // namespace aqbench::test
