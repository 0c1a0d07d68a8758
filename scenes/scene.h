#pragma once
// A scene: what a method may observe, and apart from it what is true. Real methods are given `Observation`
// (scenes/dataset/observation.h) alone; metrics and simulated methods are given the truth.

#include <memory>
#include <string>

#include "core/parameters.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

struct SceneTruth {
  std::shared_ptr<const Surface> surface;
};

struct Scene {
  std::string name;  // registry name, or "mesh:FILE.ply"
  Parameters parameters;
  SceneTruth truth;
};

}  // namespace aqbench
