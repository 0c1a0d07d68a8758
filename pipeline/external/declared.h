#pragma once
// Methods declared by a user (pipeline/method/declaration.h), run like `external`.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/external/program_run.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the paths a declared method reads beside the dataset: its command's files (command_access.h), the
// project's folder and the working folder unless they are shared by several programs, and the paths that its
// declaration lists.
std::vector<std::filesystem::path> declared_reads(const Observation& observation, const MethodInput& input);

// Returns what makes a declared method what it is: program and files of its command
// (pipeline/external/guest_parts.h), `reads`, lock file, image of its container.
std::vector<GuestPart> declared_guest(const MethodInput& input);

// Returns what run_declared() would start for a method that sees this dataset as it is.
ProgramRun declared_program(const Observation& seen, const MethodInput& input);

// Runs the command of MethodInput::declaration with its placeholders filled in, in its working folder, and
// reads its results in its unit. Throws like run_external(), and Error(usage) if the working folder does not
// exist.
Reconstruction run_declared(const Observation& observation, const MethodInput& input);

// Returns in one line why the command cannot be started: a missing working folder, program or script
// (command_problem.h); "" if no problem is found. Uses no work_dir.
std::string declared_problem(const MethodInput& input);

}  // namespace aqbench
