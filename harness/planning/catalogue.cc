#include "harness/planning/catalogue.h"

namespace aqbench {

Catalogue registered_catalogue() {
  return {.scenes = scene_registry(),
          .methods = method_registry(),
          .suites = suite_registry(),
          .workloads = workload_registry()};
}

}  // namespace aqbench
