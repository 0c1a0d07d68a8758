#pragma once
// Methods that a user declared (pipeline/method/declaration.h), run as `external` runs a command.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// Returns what a declared method reads beside the dataset: its command's files (command_access.h), the
// project's folder and the one that it runs in, unless they hold more than one program's files, and what its
// declaration names.
std::vector<std::filesystem::path> declared_reads(const Observation& observation, const MethodInput& input);

// Runs the command of MethodInput::declaration with its placeholders filled in, in its working folder, and
// reads its results in its unit. Throws as run_external(), and Error(usage) where the working folder does not
// exist.
Reconstruction run_declared(const Observation& observation, const MethodInput& input);

// Returns why the command cannot be started: a working folder, program or script that is not there, in one
// line (command_problem.h); "" where nothing speaks against it. Takes no work_dir.
std::string declared_problem(const MethodInput& input);

}  // namespace aqbench
