#pragma once
// A sweep as jobs of Slurm: an array of tasks, and a job after it that merges what they made.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/share_options.h"
#include "core/error.h"

namespace aqbench::cli {

// What is submitted.
struct SlurmJobs {
  std::filesystem::path bundle;    // begun, with its folder of tasks
  std::vector<std::string> merge;  // further arguments of `aqbench sweep --resume BUNDLE` for the last job
  bool runs_foreign_code = false;  // cases run somebody's program: tasks are told that the user allows it
  std::size_t cases = 0;
};

// Returns SlurmJobs::merge for what was asked of the sweep.
std::vector<std::string> arguments_of_merge(const std::optional<std::filesystem::path>& baseline, bool gate,
                                            const std::optional<std::filesystem::path>& junit,
                                            const std::optional<std::filesystem::path>& sign,
                                            const std::vector<std::string>& notes);

// Returns the command lines of sbatch for the array, and for the job after the array whose number is
// `array_job`.
std::vector<std::string> array_command(const SlurmJobs& jobs, const ShareRequest& share);
std::vector<std::string> merge_command(const SlurmJobs& jobs, const ShareRequest& share,
                                       const std::string& array_job);

// Submits both jobs and says so; with --wait returns the exit code of the merging job when that has ended.
// Throws Error(input) where sbatch refuses.
ExitCode submit(const SlurmJobs& jobs, const ShareRequest& share);

}  // namespace aqbench::cli
