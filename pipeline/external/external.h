#pragma once
// The method `external`: any program that reads a dataset's folder and writes a PLY file.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

std::vector<ParameterSpec> external_parameters();
std::vector<std::string> external_stages();

// Runs `command` without a shell, {dataset}, {output} and {threads} filled in, and reads `result` (a PLY
// file, relative to {output}, an empty folder). What it prints goes to work_dir / kMethodLog. Throws
// ProgramFailure for a program that hangs or dies of a signal, Error(method) for another exit code than 0, a
// result that is missing or unreadable, Error(usage) for a command that cannot be one.
Reconstruction run_external(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
