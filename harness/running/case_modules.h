#pragma once
// Which modules (core/module.h) a case needs.

#include <span>

#include "harness/records/case.h"

namespace aqbench {

// Loads the modules that these cases need, and no other. A parent does so before it forks, so that its children have
// them at once; loading starts no threads. Throws Error(input) where one is not installed.
void load_modules_of(std::span<const Case> cases);

// Loads what real methods and workloads need.
void load_pipeline_module();

}  // namespace aqbench
