#pragma once
// A sweep as Slurm jobs: an array of tasks, and a following job that merges their results.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/share_options.h"
#include "core/error.h"

namespace aqbench::cli {

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
                                            const std::optional<std::filesystem::path>& sign,
                                            const std::vector<std::string>& notes);

// Returns the sbatch command lines for the array, and for the job after the array with number `array_job`.
std::vector<std::string> array_command(const SlurmJobs& jobs, const ShareRequest& share);
std::vector<std::string> merge_command(const SlurmJobs& jobs, const ShareRequest& share,
                                       const std::string& array_job);

// Submits both jobs and prints their numbers; with --wait returns the exit code of the merging job. Throws
// Error(input) if sbatch refuses.
ExitCode submit(const SlurmJobs& jobs, const ShareRequest& share);

}  // namespace aqbench::cli
