#pragma once
// Flags of `aqbench sweep` that share its cases among several processes, also as Slurm jobs: an array of
// tasks, and a following job that merges their results.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/error.h"
#include "harness/planning/plan.h"
#include "harness/sharing/shared_results.h"
#include "harness/sharing/shared_sweep.h"

namespace aqbench::cli {

// How the cases of a sweep are shared.
struct ShareRequest {
  std::optional<int> local;  // processes of this machine
  double lease_s = kDefaultLeaseS;
  bool slurm = false;
  int array_size = 4;
  std::optional<std::string> partition, time_limit;
  Strings sbatch_arguments;
  bool wait = false;
  bool own_nodes = false;     // for timed cases: each task has its own node, and all nodes are alike
  bool unlike_nodes = false;  // with own_nodes: the nodes may differ

  // Returns whether the sweep is shared at all.
  bool any() const { return local.has_value() || slurm; }
  // Returns how the children of this process run it.
  LocalProcesses processes() const {
    return {static_cast<std::size_t>(local.value_or(1)), lease_s,
            unlike_nodes ? UnlikeMachines::accept : UnlikeMachines::refuse};
  }
};

// Returns the rows of these flags.
std::vector<Flag<ShareRequest>> share_flags();

// Checks combinations of the flags, and sets the default threads of a shared sweep's cases: those of this
// machine divided by the processes, one under Slurm. `given` are the names of all flags of the command line,
// some exclude --slurm. Throws Error(usage).
void complete_share(const ShareRequest& share, PlanRequest& plan, bool resumed, const GivenValues& given);

// Throws like require_shareable() if the sweep is shared. Timed cases have their own machine under
// --own-nodes, and in the single process that finishes such a sweep.
void require_shareable(const SweepPlan& plan, const ShareRequest& share, bool resumed);

// Returns the command line for the bundle, with the threads chosen by complete_share() where the user gave
// none.
Arguments recorded_arguments(const Arguments& arguments, const ShareRequest& share, const PlanRequest& plan,
                             const GivenValues& given);

// Throws like require_plain_files() for a resumed bundle and its tasks' folder.
void require_plain_bundle(const std::filesystem::path& bundle);

// What is submitted.
struct SlurmJobs {
  std::filesystem::path bundle;    // started, with its folder of tasks
  std::vector<std::string> merge;  // additional arguments of `aqbench sweep --resume BUNDLE` for the last job
  bool runs_foreign_code = false;  // cases run external programs: tasks inherit the user's permission
  std::size_t cases = 0;
};

// Returns SlurmJobs::merge for the sweep's options.
std::vector<std::string> arguments_of_merge(const std::optional<std::filesystem::path>& baseline, bool gate,
                                            const std::optional<std::filesystem::path>& junit,
                                            const std::vector<std::string>& notes);

// Returns the sbatch command lines for the array, and for the job after the array with number `array_job`.
std::vector<std::string> array_command(const SlurmJobs& jobs, const ShareRequest& share);
std::vector<std::string> merge_command(const SlurmJobs& jobs, const ShareRequest& share,
                                       const std::string& array_job);

// Submits both jobs and prints their numbers; with --wait returns the exit code of the merging job. Throws
// Error(input) if sbatch refuses.
ExitCode submit(const SlurmJobs& jobs, const ShareRequest& share);

}  // namespace aqbench::cli
