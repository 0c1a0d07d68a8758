#pragma once
// One sweep by several processes: tasks run cases of the shared plan, one process collects their results.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/files.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "harness/sharing/shared_results.h"

namespace aqbench {

// How a task ended.
struct TaskOutcome {
  std::size_t ran = 0;       // cases whose result it published
  std::size_t too_late = 0;  // cases that another task published first
  bool interrupted = false;
};

// Whether tasks of a shared sweep have their own machines, all of one kind.
enum class OwnMachines { no, yes };

// Returns whether a plan has timed cases.
bool has_timed_cases(const SweepPlan& plan);

// Throws Error(usage) for a plan that cannot be shared: one with timed cases, unless tasks have their own
// machines, and one with cases of several blocks, which alternate with those of other cases.
void require_shareable(const SweepPlan& plan, OwnMachines machines);

// Reserves this machine for the timed cases of a shared sweep until the returned lock is destroyed; loads the
// modules that the cases need. Throws like join_timed_machines(), and Error(usage) if a module is missing.
[[nodiscard]] FileLock take_machine(const SweepPlan& plan, const std::filesystem::path& tasks,
                                    UnlikeMachines unlike);

// Runs cases without a result until all have one, each in its own child, waiting for those of other tasks: if
// one of these dies, its case runs here. Stops at SIGINT, SIGTERM or SIGHUP; the running case is then free
// for others. `tasks` is the folder of shared_results.h. `ended` is called here after each. Throws Error(io).
// The process must not have run LibTorch, TBB, Open3D or threads.
TaskOutcome run_task(const SweepPlan& plan, const std::filesystem::path& bundle,
                     const std::filesystem::path& tasks, double lease_s, const CaseRunner& run,
                     const CaseEnded& ended = {});

// A host and the number of cases it ran.
using CasesOfHosts = std::map<std::string, std::size_t>;

// Writes every published result missing in the journal into the bundle: files, log, record. If times matter,
// the journal says on which machine they were measured. Calls `taken` for each and returns their number.
// Throws Error(io), Error(input) for a result that belongs to another case.
std::size_t collect(const SweepPlan& plan, const std::filesystem::path& tasks, Journal& journal,
                    CasesOfHosts& hosts, const std::function<void(const Record&)>& taken = {});

// The children of run_locally_shared().
struct LocalProcesses {
  std::size_t count = 1;
  double lease_s = 60;
  UnlikeMachines unlike = UnlikeMachines::refuse;  // for timed cases
};

// Runs all cases of the plan in children of this process and collects their results. A child that dies is
// replaced; `callbacks.ended` is called in the children. Throws like run_task(), collect() and, for remaining
// timed cases, take_machine(), and Error(method) if children die repeatedly without a result.
SweepOutcome run_locally_shared(const SweepPlan& plan, Journal& journal, const LocalProcesses& processes,
                                const SweepCallbacks& callbacks, const CaseRunner& run, CasesOfHosts& hosts);

}  // namespace aqbench
