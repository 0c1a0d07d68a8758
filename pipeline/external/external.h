#pragma once
// The method `external`: any program that reads the folder of a dataset and writes a PLY file.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// Returns the parameters command, result and timeout_s.
std::vector<ParameterSpec> external_parameters();

// Returns the stages that run_external() opens, outermost first.
std::vector<std::string> external_stages();

// Returns what the command reads beside the dataset (pipeline/external/command_access.h).
std::vector<std::filesystem::path> external_reads(const Observation& observation, const MethodInput& input);

// Returns why the command cannot be started: a program or script that is not there, in one line
// (command_problem.h); "" where nothing speaks against it. Throws Error(usage) for a command that has no
// {output} or cannot be cut into words. Takes no work_dir.
std::string external_problem(const MethodInput& input);

// Runs `command` without a shell, with {dataset}, {output} and {threads} filled in, and reads `result`, a PLY
// file relative to {output}, a folder that is empty before. What the program prints goes to work_dir /
// kMethodLog. Throws ProgramFailure for a program that exceeds its time limit or dies of a signal;
// Error(method) for an exit code other than 0 and for a result that is missing or unreadable; Error(usage)
// for a command that cannot be run.
Reconstruction run_external(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
