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
#include "harness/planning/plan_request.h"

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

// Throws like require_plain_files() for a resumed bundle and its tasks' folder.
void require_plain_bundle(const std::filesystem::path& bundle);

// What is submitted.
struct SlurmJobs {
  std::filesystem::path bundle;    // started, with its folder of tasks and the plan in it
  std::vector<std::string> merge;  // additional arguments of `aqbench sweep --resume BUNDLE` for the last job
  std::vector<std::string> task;   // additional arguments of `aqbench run-case`
  bool runs_foreign_code = false;  // cases run external programs: tasks inherit the user's permission
  std::size_t cases = 0;
};

// Returns the sbatch command lines for the array, and for the job after the array with number `array_job`.
std::vector<std::string> array_command(const SlurmJobs& jobs, const ShareRequest& share);
std::vector<std::string> merge_command(const SlurmJobs& jobs, const ShareRequest& share,
                                       const std::string& array_job);

// Submits both jobs and prints their numbers; with --wait returns the exit code of the merging job. Throws
// Error(input) if sbatch refuses.
ExitCode submit(const SlurmJobs& jobs, const ShareRequest& share);

}  // namespace aqbench::cli
