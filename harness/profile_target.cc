#include "harness/profile_target.h"

#include <fmt/format.h>

#include <variant>

#include "harness/library_threads.h"
#include "harness/run_workload.h"
#include "harness/select.h"
#include "pipeline/method.h"
#include "scenes/core/error.h"
#include "scenes/core/parallel.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

ProfileTarget workload_target(const Case& planned) {
  if (const auto reason = workload_skip_reason(planned)) throw Error(ErrorKind::method, *reason);
  const WorkloadSpec& spec = find_workload(planned.workload);
  const std::shared_ptr<WorkloadRun> run = spec.prepare(workload_input(planned, spec));
  return {[run] { run->run_once(); },
          [run] {
            MetricSet ignored;
            prove_output(*run, ignored);
          }};
}

}  // namespace

ProfileTarget prepare_profile_target(const Case& planned) {
  set_thread_count(planned.threads);
  set_library_threads(planned.threads);
  if (!planned.workload.empty()) return workload_target(planned);
  const MethodSpec& method = find_method(planned.method);
  std::vector<Override> overrides = preset_overrides(method, planned.preset);
  overrides.insert(overrides.end(), planned.overrides.begin(), planned.overrides.end());
  MethodInput input;
  input.parameters = resolve_parameters(method.name, method.parameters, overrides);
  input.seed = planned.seed;
  input.device = planned.device;
  const auto* const simulated = std::get_if<SimulatedMethod>(&method.run);
  if (simulated == nullptr)
    throw Error(ErrorKind::method,
                fmt::format("{} needs images of the scene, and '{}' has none", method.name, planned.scene));
  const auto scene = std::make_shared<Scene>(make_scene(planned.scene, planned.overrides));
  return {[scene, input, run = *simulated] { run(scene->truth, input); }, {}};
}

}  // namespace aqbench
