#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "pipeline/workloads/device_workload.h"
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

std::string numeric_skip_reason(const WorkloadInput& input) { return device_skip_reason(input, true); }

bool Identity::holds() const { return std::abs(measured - expected) <= tolerance; }  // NaN fails

ParameterSpec variant_parameter() {
  return {"variant",
          "",
          std::string("fused"),
          0,
          0,
          "loop: plain loops; torch: vectorised LibTorch, as one would write it in PyTorch; fused: one pass, "
          "also for OpenCL",
          {"torch", "loop", "fused"}};
}

}  // namespace aqbench
