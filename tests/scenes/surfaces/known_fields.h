#pragma once
// The surfaces by formula that tests of surfaces run over: every scene of the registry as it is by default,
// so that a new scene is among them by itself, and shapes that are harder.

#include <memory>
#include <string>
#include <vector>

#include "scenes/registry.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/shapes.h"

namespace aqbench::surface_testing {

using Field = std::shared_ptr<const PatchHeightField>;

// A surface and what a failing test calls it.
struct NamedField {
  std::string name;
  Field field;
};

// Returns the surface as the class that all surfaces by formula share.
inline Field patch_field(const std::shared_ptr<const Surface>& surface) {
  return std::dynamic_pointer_cast<const PatchHeightField>(surface);
}

// Returns the scenes of the registry with their defaults.
inline std::vector<NamedField> registered_fields() {
  std::vector<NamedField> fields;
  for (const SceneSpec& spec : scene_registry())
    if (spec.has_patch) fields.push_back({spec.name, patch_field(make_scene(spec.name, {}).truth.surface)});
  return fields;
}

// Returns the scenes of the registry and harder shapes.
inline std::vector<NamedField> known_fields() {
  std::vector<NamedField> fields = registered_fields();
  fields.push_back({"tilted both ways", patch_field(make_plane({1.178, 0.3, -0.2}, {}))});
  fields.push_back({"steep undulating", patch_field(make_undulating({1.178, 0.012, 0.04, 0.7}, {}))});
  fields.push_back({"long undulating", patch_field(make_undulating({1.178, 0.002, 0.3, 1.1}, {}))});
  fields.push_back({"step up", patch_field(make_step({1.178, -0.03, 0.05, 0.02}, {}))});
  fields.push_back({"hollow", patch_field(make_mound({1.178, -0.04, 0.04, 0.02, 0.01}, {}))});
  fields.push_back({"high mound", patch_field(make_mound({1.178, 0.08, 0.04, 0.05, 0.02}, {}))});
  return fields;
}

}  // namespace aqbench::surface_testing
