#include "harness/profiling/profile_target.h"

#include <filesystem>
#include <memory>
#include <variant>

#include "core/error.h"
#include "core/parallel.h"
#include "core/scratch_folder.h"
#include "harness/measuring/library_threads.h"
#include "harness/planning/case_method.h"
#include "harness/running/method_run.h"
#include "harness/running/run_workload.h"
#include "pipeline/method/method.h"
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

// Each run gets an empty folder for the method's files, like a case of a sweep.
ProfileTarget real_target(const MethodTask& task, RealMethod run) {
  return {[&task, run] {
            for (const auto& entry : std::filesystem::directory_iterator(task.input.work_dir))
              std::filesystem::remove_all(entry.path());
            check_output(run(task.observation, task.input));
          },
          {}};
}

ProfileTarget simulated_target(const Case& planned, const MethodSpec& method, const MethodInput& input) {
  const auto scene = std::make_shared<Scene>(make_scene(planned.scene, planned.overrides));
  return {[scene, input, run = std::get<SimulatedMethod>(method.run)] { run(scene->truth, input); }, {}};
}

}  // namespace

ProfileTarget prepare_profile_target(const Case& planned, const MethodTask* task) {
  set_thread_count(planned.threads);
  set_library_threads(planned.threads);
  if (!planned.workload.empty()) return workload_target(planned);
  const MethodSpec& method = method_of(planned);
  if (const auto reason = method_skip_reason(planned, method)) throw Error(ErrorKind::method, *reason);
  if (task != nullptr) return real_target(*task, std::get<RealMethod>(method.run));
  return simulated_target(planned, method, method_input(planned, method, {}));
}

}  // namespace aqbench
