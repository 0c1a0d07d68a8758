#pragma once
// Which scenes, methods and workloads a request means. Internal to harness/planning/plan.cc.

#include <string>
#include <utility>
#include <vector>

#include "harness/planning/axis.h"
#include "harness/planning/plan.h"

namespace aqbench {

struct SceneChoice {
  std::string name;                                             // registry name or "mesh:FILE.ply"
  const SceneSpec* spec = nullptr;                              // nullptr for a mesh
  std::vector<std::pair<std::string, ParameterValue>> options;  // of a mesh: the hash of its file
};

struct MethodChoice {
  const MethodSpec* spec = nullptr;
  std::string preset;  // as asked; empty: the default one

  std::string name() const { return preset.empty() ? spec->name : spec->name + ":" + preset; }
};

// Some of the scenes and methods, by name, that are combined with each other.
struct SelectionPart {
  std::vector<std::string> scenes, methods;
  const std::vector<Axis>* axes = nullptr;  // of a suite's further part
};

struct Selection {
  const Suite* suite = nullptr;  // nullptr: chosen by hand
  std::vector<SceneChoice> scenes;
  std::vector<MethodChoice> methods;
  std::vector<const WorkloadSpec*> workloads;
  std::vector<SelectionPart> parts;
  std::vector<std::string> rigs = {};  // that images are made with; none if no method looks at images
};

// Throws as plan_sweep() does. Refers to the request and the catalogue.
Selection select_for(const PlanRequest& request, const Catalogue& catalogue);

// The overrides of the preset (of the default one when `preset` is empty) under the method's name.
std::vector<Override> preset_overrides(const MethodSpec& method, const std::string& preset);

}  // namespace aqbench
