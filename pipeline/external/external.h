#pragma once
// The method `external`: any program that reads the folder of a dataset and writes a PLY file.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/external/program_run.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the parameters command, result and timeout_s.
std::vector<ParameterSpec> external_parameters();

// Returns the stages that run_external() opens, outermost first.
std::vector<std::string> external_stages();

// Returns the paths the command reads beside the dataset (pipeline/external/command_access.h).
std::vector<std::filesystem::path> external_reads(const Observation& observation, const MethodInput& input);

// Returns the files that make the command what it is (pipeline/external/guest_parts.h).
std::vector<GuestPart> external_guest(const MethodInput& input);

// Returns in one line why the command cannot be started: a missing program or script (command_problem.h); ""
// if no problem is found. Throws Error(usage) for a command without {output} or that cannot be split into
// words. Uses no work_dir.
std::string external_problem(const MethodInput& input);

// Returns what run_external() would start.
ProgramRun external_program(const Observation& seen, const MethodInput& input);

// Runs `command` without a shell, with {dataset}, {output} and {threads} filled in, and reads `result`, a PLY
// file relative to {output}, an initially empty folder. The program's output goes to work_dir / kMethodLog.
// Throws ProgramFailure if the program exceeds its time limit or dies of a signal; Error(method) for a
// non-zero exit code and for a missing or unreadable result; Error(usage) for a command that cannot be run.
Reconstruction run_external(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
