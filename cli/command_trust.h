#pragma once
// Commands that a bundle names count as somebody else's programs, and are not run, until the user says
// otherwise.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace aqbench::cli {

// What the user said about a bundle's commands.
struct CommandTrust {
  bool run_its_commands = false;
  std::optional<std::filesystem::path> public_key;  // PEM
  std::optional<std::filesystem::path> trust_file;  // none: the user's own, if there is one
};

// Returns the rows of these flags for a command's option table.
std::vector<Flag<CommandTrust>> command_trust_flags();

// Checks that the commands may be run which `bundle` names in its file `journal`. They may where there are
// none; where this user's own process wrote the first line of that file, from this folder
// (remember_commands()); where the bundle verifies and is signed by the key of --pubkey or by one in the
// trust file; or with --run-its-commands, which prints them to stderr first. Throws Error(input), after
// printing them too, where nothing allows them.
void require_trust(const std::filesystem::path& bundle, const char* journal,
                   const std::vector<std::string>& commands, const CommandTrust& trust);

// Remembers a bundle that this process has just begun as the user's own, so that he can resume it; a note on
// stderr says why where that fails. Does nothing without commands.
void remember_commands(const std::filesystem::path& bundle, const char* journal,
                       const std::vector<std::string>& commands);

}  // namespace aqbench::cli
