#pragma once
// Workloads prepared from a few parameters.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/workloads/workload.h"

namespace aqbench::test {

inline WorkloadInput input_of(const std::string& name,
                              const std::vector<std::pair<std::string, std::string>>& given) {
  std::vector<Override> overrides;
  for (const auto& [parameter, value] : given) overrides.push_back({name, parameter, value});
  WorkloadInput input;
  input.parameters = resolve_parameters(name, find_workload(name).parameters, overrides);
  input.threads = 2;
  return input;
}

inline std::unique_ptr<WorkloadRun> prepared(const std::string& name,
                                             const std::vector<std::pair<std::string, std::string>>& given) {
  return find_workload(name).prepare(input_of(name, given));
}

inline std::vector<std::string> broken_identities(WorkloadRun& run) {
  std::vector<std::string> broken;
  for (const Identity& identity : run.identities())
    if (!identity.holds()) broken.push_back(identity.name);
  return broken;
}

// Returns how often the last run called the kernel; -1: the workload does not say.
inline double kernel_calls(const WorkloadRun& run) {
  for (const WorkloadFigure& figure : run.figures())
    if (figure.name == kKernelCalls) return figure.value;
  return -1;
}

}  // namespace aqbench::test
