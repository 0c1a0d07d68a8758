#pragma once
// Manual pages, made from the option tables of the commands.

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace aqbench::cli {

// Returns the manual page of the program, commands and exit codes, in man(7).
std::string program_manual(const std::string& version);

// Returns the manual page of a command: aqbench-NAME(1).
std::string command_manual(const Command& command, const std::string& version);

// Returns file names and texts of all pages: {"aqbench.1", "..."}, {"aqbench-sweep.1", "..."}, ...
std::vector<std::pair<std::string, std::string>> all_manuals(const std::string& version);

}  // namespace aqbench::cli
