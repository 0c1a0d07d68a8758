#pragma once
// One point of a sweep. Plain data, made by harness/plan.h, run by harness/run_case.h.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenes/core/parameters.h"

namespace aqbench {

struct Case {
  std::string name;   // "undulating/roma_like/seed=43"; with preset "scene/method:preset/seed=.."; swept axes
                      // follow as "/axis=value"; `--threads` never stands in it
  std::string scene;  // registry name or "mesh:FILE.ply"
  std::string method;    // empty for a workload
  std::string preset;    // empty: the method's own defaults
  std::string workload;  // empty for a scene x method case
  std::uint64_t seed = 42;
  int threads = 1;
  std::string device = "cpu";
  std::vector<std::pair<std::string, ParameterValue>> axes;  // other axes swept, in the order given
  std::vector<Override> overrides;                           // --set and axes that are parameters
};

}  // namespace aqbench
