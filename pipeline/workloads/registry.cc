#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

const std::vector<WorkloadSpec>& workload_registry() {
  static const std::vector<WorkloadSpec> table{
      absorption_workload(),     tricubic_workload(),          plane_sweep_workload(),
      equirect_views_workload(), equirect_pipeline_workload(), synthetic_profile_workload(),
  };
  return table;
}

const WorkloadSpec& find_workload(std::string_view name) {
  const auto& table = workload_registry();
  const auto found = std::ranges::find(table, name, &WorkloadSpec::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const WorkloadSpec& spec : table) names.push_back(spec.name);
  throw Error(ErrorKind::usage, unknown_name_message("workload", name, names));
}

bool Identity::holds() const { return std::abs(measured - expected) <= tolerance; }  // NaN fails

ParameterSpec variant_parameter() {
  return text_parameter("variant", "fused",
                        "loop: plain loops; torch: vectorised LibTorch, as one would write it in PyTorch; "
                        "fused: one pass, also for OpenCL",
                        {"torch", "loop", "fused"});
}

}  // namespace aqbench
