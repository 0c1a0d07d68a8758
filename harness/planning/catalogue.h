#pragma once
// The choices of a sweep.

#include <span>

#include "harness/planning/suite.h"
#include "pipeline/method/method.h"
#include "pipeline/workloads/workload.h"
#include "scenes/registry.h"

namespace aqbench {

// The available scenes, methods, suites and workloads. Refers to tables that live elsewhere.
struct Catalogue {
  std::span<const SceneSpec> scenes;
  std::span<const MethodSpec> methods;
  std::span<const Suite> suites;
  std::span<const WorkloadSpec> workloads = {};
};

// Returns the program's registries; tests plan with tables of their own.
Catalogue registered_catalogue();

}  // namespace aqbench
