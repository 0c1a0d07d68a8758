#pragma once
// The cases that a request stands for, each with its name and resolved options.

#include <vector>

#include "harness/planning/plan_frame.h"

namespace aqbench {

// Returns the cases in the order in which they run, without faults. Throws Error(usage) where there are more
// than kMaxCases or two have the same name.
std::vector<Case> planned_cases(const Frame& frame, const PlanRequest& request);

}  // namespace aqbench
