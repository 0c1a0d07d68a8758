#pragma once
// One sweep by several processes: tasks take cases from the shared plan, one process collects what they made.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/files.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "harness/sharing/timed_machines.h"

namespace aqbench {

// How a task ended.
struct TaskOutcome {
  std::size_t ran = 0;       // cases whose result it published
  std::size_t too_late = 0;  // cases that another task had published before it was done
  bool interrupted = false;
};

// Whether tasks of a shared sweep have machines of their own, all of one kind (timed_machines.h).
enum class OwnMachines { no, yes };

// Returns whether a plan has a case whose time is measured.
bool has_timed_cases(const SweepPlan& plan);

// Throws Error(usage) for a plan that cannot be shared: one with timed cases, unless tasks have machines of
// their own, and one with cases of several blocks, which alternate with those of other cases.
void require_shareable(const SweepPlan& plan, OwnMachines machines);

// Takes this machine for the timed cases of a shared sweep until the returned lock is destroyed; loads the
// modules that the cases need. Throws as join_timed_machines() does, and Error(usage) where a module is
// missing.
[[nodiscard]] FileLock take_machine(const SweepPlan& plan, const std::filesystem::path& tasks,
                                    UnlikeMachines unlike);

// Runs cases that have no result until all have one, each in a child of its own, waiting for those that other
// tasks work on: should one of these die, its case is run here. Stops at SIGINT, SIGTERM or SIGHUP; the
// running case is then free for others. `tasks` is the folder of shared_results.h. Throws Error(io). The
// process must not have run LibTorch, TBB, Open3D or threads.
TaskOutcome run_task(const SweepPlan& plan, const std::filesystem::path& bundle,
                     const std::filesystem::path& tasks, double lease_s, const CaseRunner& run);

// Which host ran how many cases.
using CasesOfHosts = std::map<std::string, std::size_t>;

// Writes every published result that the journal does not have yet into the bundle: files, log, record. Where
// times count, the journal says on which machine they were measured. Tells `taken` of each and returns how
// many. Throws Error(io), Error(input) for a result that is not of its case.
std::size_t collect(const SweepPlan& plan, const std::filesystem::path& tasks, Journal& journal,
                    CasesOfHosts& hosts, const std::function<void(const Record&)>& taken = {});

// The children of run_locally_shared().
struct LocalProcesses {
  std::size_t count = 1;
  double lease_s = 60;
  UnlikeMachines unlike = UnlikeMachines::refuse;  // for timed cases
};

// Runs all cases of the plan by children of this process and collects their results until there are all. A
// child that dies is replaced. Throws as run_task(), collect() and, for timed cases that are left,
// take_machine(), and Error(method) where children die again and again without any result.
SweepOutcome run_locally_shared(const SweepPlan& plan, Journal& journal, const LocalProcesses& processes,
                                const SweepCallbacks& callbacks, const CaseRunner& run, CasesOfHosts& hosts);

}  // namespace aqbench
