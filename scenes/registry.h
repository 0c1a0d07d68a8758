#pragma once
// The registered scenes. To add one: write its surface, add a row to the table in registry.cc, add its test.

#include <string>
#include <string_view>
#include <vector>

#include "scenes/scene.h"

namespace aqbench {

// A scene as it is listed: its name and the parameters that `--set NAME.PARAMETER=VALUE` changes.
struct SceneSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
};

// How the name of a scene begins that is a user's own mesh: "mesh:FILE.ply".
inline constexpr std::string_view kMeshPrefix = "mesh:";

// Returns all registered scenes, in the order in which they are listed.
const std::vector<SceneSpec>& scene_registry();

// Makes a registered scene, or "mesh:FILE.ply" from a user's own mesh. Overrides of other owners are ignored.
// Throws Error(usage) for an unknown name or a bad override, Error(input) for a mesh file that cannot be
// used.
Scene make_scene(std::string_view name, const std::vector<Override>& overrides);

}  // namespace aqbench
