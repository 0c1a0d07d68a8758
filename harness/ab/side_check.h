#pragma once
// Checks what ab.json or calibration.json says of the programs that were compared, for readers who cannot ask
// them.

#include <string>
#include <vector>

#include "core/json.h"
#include "harness/ab/document.h"

namespace aqbench {

// Returns why the sides cannot be told like this, "" if they can: a command with a build of aqbench, commands
// that were not started, one program of two builds.
std::string side_problem(const AbDocument& document);

// Returns what in an environment (a JSON object) is not that of a side that this environment's own program
// ran: its hash and its build, one line each.
std::vector<std::string> own_side_problems(const std::string& name, const AbSideInfo& side,
                                           const Json& environment);

// Returns whether the environment is of this very build of the program.
bool is_of_this_program(const Json& environment);

}  // namespace aqbench
