#include "harness/running/case_modules.h"

#include <algorithm>

#include "harness/measuring/torch_table.h"

namespace aqbench {

void load_pipeline_module() { torch_table(); }

void load_modules_of(std::span<const Case> cases) {
  // Also for the method `external` and workloads that need no library: their tensor memory is observed as
  // that of all others, so that records of one suite have the same fields.
  if (std::ranges::any_of(cases, [](const Case& planned) { return !planned.simulated; }))
    load_pipeline_module();
}

}  // namespace aqbench
