#pragma once
// Flags of `aqbench sweep` that share its cases among several processes, also as Slurm jobs: an array of
// tasks, another one if some of them die, and a job that collects their results.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/error.h"
#include "harness/planning/plan.h"
#include "harness/planning/plan_request.h"
#include "harness/project/resources.h"
#include "harness/sharing/shared_sweep.h"

namespace aqbench::cli {

// How the cases of a sweep are shared.
struct ShareRequest {
  std::optional<int> local;  // processes of this machine
  bool slurm = false;
  int array_size = 4;
  Strings sbatch_arguments;
  bool wait = false;
  bool own_nodes = false;  // for timed cases: each task has its own node

  // Returns whether the sweep is shared at all.
  bool any() const { return local.has_value() || slurm; }
};

// Returns the rows of these flags.
std::vector<Flag<ShareRequest>> share_flags();

// Checks combinations of the flags, and sets the default threads of a shared sweep's cases: those of this
// machine divided by the processes, one under Slurm. `given` are the names of all flags of the command line,
// some exclude --slurm. Throws Error(usage).
void complete_share(const ShareRequest& share, PlanRequest& plan, bool resumed, const GivenValues& given);

// Returns the processes of --local and the GPUs of each: as many as a method declares, else one. With
// declared GPUs there are at most as many processes as the GPUs allow. Throws Error(usage) for a method that
// needs more GPUs than there are.
LocalWorkers local_workers(const ShareRequest& share, const SweepPlan& plan,
                           const DeclaredResources& declared);

// Throws like require_plain_files() for a resumed bundle and its tasks' folder.
void require_plain_bundle(const std::filesystem::path& bundle);

// What is submitted.
struct SlurmJobs {
  std::filesystem::path bundle;      // an empty folder; the plan is in its tasks_folder()
  std::vector<std::string> collect;  // additional arguments of `aqbench collect`
  std::vector<std::string> task;     // additional arguments of `aqbench run-case`
  bool runs_foreign_code = false;    // cases run external programs: tasks inherit the user's permission
  std::size_t cases = 0;
  Resources needs = {};  // of each case
};

// Returns the sbatch command line of an array whose tasks run the cases without a result. With `after`, the
// number of such an array, it starts only if tasks of that one died, and is cancelled otherwise.
std::vector<std::string> array_command(const SlurmJobs& jobs, const ShareRequest& share,
                                       const std::string& after = {});

// Returns that of the job which collects the results after these arrays, "77:78".
std::vector<std::string> collecting_command(const SlurmJobs& jobs, const ShareRequest& share,
                                            const std::string& arrays);

// Submits all jobs and prints their numbers; with --wait returns the exit code of the last one. Throws
// Error(input) if sbatch refuses.
ExitCode submit(const SlurmJobs& jobs, const ShareRequest& share);

}  // namespace aqbench::cli
