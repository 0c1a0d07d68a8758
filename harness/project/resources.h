#pragma once
// What a case of a declared method needs of a machine: "resources" in the project file. Engines reserve it;
// no result depends on it, so it is no part of a plan.

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/json.h"
#include "harness/planning/plan.h"

namespace aqbench {

// 0: not declared.
struct Resources {
  int gpus = 0;
  double memory_gib = 0;
  int minutes = 0;  // of one case, rendering and scoring included
  int threads = 0;  // processors
};

// By the names of methods.
using DeclaredResources = std::map<std::string, Resources>;

// Reads {"gpus": 1, "memory_gib": 16, "minutes": 30, "threads": 4}, any of them. Throws Error(input).
Resources resources_at(const JsonPlace& place);

// Returns the memory in MiB, rounded up.
std::uint64_t memory_mib(const Resources& needs);

// Returns the most that any of these methods needs. Minutes are known only if all of them declare some.
Resources most_of(const std::set<std::string>& methods, const DeclaredResources& declared);

// Does the same for the cases of a plan, which have threads of their own.
Resources needs_of(const SweepPlan& plan, const DeclaredResources& declared);

}  // namespace aqbench
