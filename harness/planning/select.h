#pragma once
// The choices of a sweep, and the scenes, methods and workloads that a request selects of them.

#include <span>
#include <string>
#include <vector>

#include "harness/planning/axis.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/scene_choice.h"
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

// A chosen method, with or without a preset.
struct MethodChoice {
  const MethodSpec* spec = nullptr;
  std::string preset;  // as requested; empty: the default one

  std::string name() const { return preset.empty() ? spec->name : spec->name + ":" + preset; }
};

// Names of scenes and methods to be combined with each other.
struct SelectionPart {
  std::vector<std::string> scenes, methods;  // as given
  const std::vector<Axis>* axes = nullptr;   // of a suite's additional part
};

// The selection. Refers to the request and the catalogue.
struct Selection {
  const Suite* suite = nullptr;  // nullptr: chosen by hand
  std::vector<SceneChoice> scenes;
  std::vector<MethodChoice> methods;
  std::vector<const WorkloadSpec*> workloads;
  std::vector<SelectionPart> parts;
  std::vector<std::string> rigs = {};  // rigs of the rendered images; none if no method uses them
};

// Selects according to the request; `rigs` stays empty. Throws like plan_sweep().
Selection select_for(const PlanRequest& request, const Catalogue& catalogue);

// Returns the overrides of the preset (the default one if `preset` is empty) with the method as owner. Throws
// Error(usage) for an unknown preset.
std::vector<Override> preset_overrides(const MethodSpec& method, const std::string& preset);

}  // namespace aqbench
