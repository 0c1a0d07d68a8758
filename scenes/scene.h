#pragma once
// A scene and what is true of it. Metrics and simulated methods are given the truth; real methods are given
// an Observation alone (pipeline/method/method.h).

#include <memory>
#include <string>

#include "core/parameters.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// What is true of a scene; real methods never see it.
struct SceneTruth {
  std::shared_ptr<const Surface> surface;
};

// A scene with its parameters resolved.
struct Scene {
  std::string name;  // registry name, or "mesh:FILE.ply"
  Parameters parameters;
  SceneTruth truth;
};

}  // namespace aqbench
