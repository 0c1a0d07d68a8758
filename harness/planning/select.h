#pragma once
// Selects scenes, methods and workloads of a request.

#include <string>
#include <vector>

#include "harness/planning/axis.h"
#include "harness/planning/catalogue.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/scene_choice.h"

namespace aqbench {

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
