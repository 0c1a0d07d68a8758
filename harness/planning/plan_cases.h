#pragma once
// The cases of a request, each with its name and resolved options.

#include <vector>

#include "harness/planning/plan_basis.h"

namespace aqbench {

// Returns the cases in execution order, without faults. Throws Error(usage) if there are more than kMaxCases
// or two have the same name.
std::vector<Case> planned_cases(const PlanBasis& basis, const PlanRequest& request);

}  // namespace aqbench
