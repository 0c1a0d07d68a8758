#pragma once
// A scene and its truth. Metrics and simulated methods receive the truth; real methods receive only an
// Observation (pipeline/method/method.h).

#include <memory>
#include <string>

#include "core/parameters.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The truth of a scene; real methods never see it.
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
