#pragma once
// The registered scenes. To add one: write its surface, add a row to the table in registry.cc, add its test.

#include <string>
#include <string_view>
#include <vector>

#include "scenes/scene.h"

namespace aqbench {

struct SceneSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
};

const std::vector<SceneSpec>& scene_registry();

// A registered scene, or "mesh:FILE.ply" for a user's own mesh. Overrides of other owners are ignored.
// Throws Error(usage) for an unknown name or bad override, Error(input) for an unusable mesh file.
Scene make_scene(std::string_view name, const std::vector<Override>& overrides);

}  // namespace aqbench
