#pragma once
// What the words of `aqbench profile` choose: methods, workloads, or one case by its name.

#include <string>
#include <vector>

#include "harness/planning/plan_request.h"

namespace aqbench {

// Adds the targets to a request that has the scenes of the command: "roma_like", "synthetic_profile",
// "undulating/roma_like/seed=43". A method without a scene runs on flat_plane. Throws Error(usage) for a case
// beside other targets or scenes.
void read_profile_targets(const std::vector<std::string>& targets, PlanRequest& plan);

}  // namespace aqbench
