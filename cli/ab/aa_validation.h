#pragma once
// `aqbench ab --calibrate` and `--live`: compares the program with itself, to learn how often a comparison
// would call it slower although nothing changed.

#include <string>
#include <utility>
#include <vector>

#include "cli/ab/options.h"
#include "cli/command.h"
#include "harness/records/case.h"

namespace aqbench::cli {

// Names and values of what the time of a case depends on beside program and machine.
using CaseSettings = std::vector<std::pair<std::string, std::string>>;

// Returns the options, threads, device and number of warm runs of a case.
CaseSettings case_settings(const Case& planned, int warm_runs);

// Measures what `request` asks for, prints the rates and leaves a bundle. `arguments` are those of this call.
// Throws Error(usage) where more than one case is planned for --calibrate, Error(method) where the case does
// not run, and what AbRecording throws.
ExitCode validate_aa(const AbRequest& request, const Arguments& arguments);

}  // namespace aqbench::cli
