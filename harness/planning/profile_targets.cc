#include "harness/planning/profile_targets.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "harness/planning/axis.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

using Strings = std::vector<std::string>;

bool is_workload(const std::string& name) {
  return std::ranges::find(workload_registry(), name, &WorkloadSpec::name) != workload_registry().end();
}

// Returns whether this is a case's name as printed by sweeps: "undulating/roma_like:fast/seed=43" or
// "absorption/size=512/seed=42".
void read_case_target(const Strings& parts, PlanRequest& plan) {
  std::size_t axes = 1;
  if (is_workload(parts[0])) {
    plan.workloads = {parts[0]};
  } else {
    plan.scenes = {parts[0]};
    plan.methods = {parts[1]};
    axes = 2;
  }
  for (; axes < parts.size(); ++axes) {
    Axis axis = parse_axis(parts[axes]);
    // Tables show a method's parameter without the method.
    if (!plan.methods.empty() && axis.name.find('.') == std::string::npos &&
        std::ranges::find(axis_names(), axis.name) == axis_names().end())
      axis.name = plan.methods[0].substr(0, plan.methods[0].find(':')) + "." + axis.name;
    plan.axes.push_back(std::move(axis));
  }
}

}  // namespace

// A name of both a method and a workload means the method if scenes are given, else the workload.
void read_profile_targets(const Strings& targets, PlanRequest& plan) {
  for (const std::string& target : targets) {
    const auto views = split_at(target, '/');
    const Strings parts(views.begin(), views.end());
    if (parts.size() == 1) {
      (plan.scenes.empty() && is_workload(target) ? plan.workloads : plan.methods).push_back(target);
      continue;
    }
    if (targets.size() > 1 || !plan.scenes.empty())
      throw usage_error("'{}' is a case name; give it alone and without --scene", target);
    return read_case_target(parts, plan);
  }
  if (!plan.methods.empty() && plan.scenes.empty()) plan.scenes = {"flat_plane"};
}

}  // namespace aqbench
