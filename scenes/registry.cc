#include "scenes/registry.h"

namespace aqbench {

const std::vector<SceneSpec>& scene_registry() {
  static const std::vector<SceneSpec> table;
  return table;
}

}  // namespace aqbench
