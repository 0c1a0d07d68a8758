#pragma once
// The targets of `aqbench profile`: methods, workloads, or one case by name.

#include <string>
#include <vector>

#include "harness/planning/plan_request.h"

namespace aqbench {

// Adds the targets to a request with the command's scenes: "roma_like", "synthetic_profile",
// "undulating/roma_like/seed=43". The default scene of a method is flat_plane. Throws Error(usage) for a case
// beside other targets or scenes.
void read_profile_targets(const std::vector<std::string>& targets, PlanRequest& plan);

}  // namespace aqbench
