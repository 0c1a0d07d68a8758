#pragma once
// The registered scenes. To add one: write its surface, add a row to the table in registry.cc, add its test.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/scene.h"

namespace aqbench {

// A listed scene: its name and the parameters of `--set NAME.PARAMETER=VALUE`.
struct SceneSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  bool has_patch = true;  // a surface z = f(x, y) of which a patch is scored; else a mesh, scored as a whole
};

// The prefix of scenes that are a user's own mesh: "mesh:FILE.ply".
inline constexpr std::string_view kMeshPrefix = "mesh:";

// Returns all registered scenes in listing order.
const std::vector<SceneSpec>& scene_registry();

// Makes a registered scene, or "mesh:FILE.ply" from a user's mesh, whose open parts have their positive side
// where the cameras are (make_mesh_surface()). Overrides of other owners are ignored. Throws Error(usage) for
// an unknown name or a bad override, Error(input) for an unusable mesh file.
Scene make_scene(std::string_view name, const std::vector<Override>& overrides,
                 std::span<const Vec3> cameras_m = {});

}  // namespace aqbench
