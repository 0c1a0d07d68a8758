#pragma once
// Which scenes, methods and workloads a request means.

#include <string>
#include <utility>
#include <vector>

#include "harness/planning/axis.h"
#include "harness/planning/catalogue.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/scene_choice.h"

namespace aqbench {

// A method that was chosen, with a preset or without.
struct MethodChoice {
  const MethodSpec* spec = nullptr;
  std::string preset;  // as asked; empty: the default one

  std::string name() const { return preset.empty() ? spec->name : spec->name + ":" + preset; }
};

// Some of the scenes and methods, by name, that are combined with each other.
struct SelectionPart {
  std::vector<std::string> scenes, methods;  // scenes as they were given
  const std::vector<Axis>* axes = nullptr;   // of a suite's further part
};

// All that was chosen. Refers to the request and the catalogue.
struct Selection {
  const Suite* suite = nullptr;  // nullptr: chosen by hand
  std::vector<SceneChoice> scenes;
  std::vector<MethodChoice> methods;
  std::vector<const WorkloadSpec*> workloads;
  std::vector<SelectionPart> parts;
  std::vector<std::string> rigs = {};  // that images are rendered with; none if no method looks at such
};

// Chooses what the request means; `rigs` stays empty. Throws as plan_sweep() does.
Selection select_for(const PlanRequest& request, const Catalogue& catalogue);

// Returns the overrides of the preset (of the default one when `preset` is empty) with the method as owner.
// Throws Error(usage) for an unknown preset.
std::vector<Override> preset_overrides(const MethodSpec& method, const std::string& preset);

}  // namespace aqbench
