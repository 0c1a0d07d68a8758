#pragma once
// Manual pages, made from the option tables of the commands.

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace aqbench::cli {

// Returns the manual page of a command: aqbench-NAME(1).
std::string command_manual(const Command& command, const std::string& version);

}  // namespace aqbench::cli
