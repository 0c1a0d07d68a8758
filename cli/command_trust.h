#pragma once
// Commands named by a bundle are untrusted and run only with the user's permission.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace aqbench::cli {

// The user's permissions for a bundle's commands.
struct CommandTrust {
  bool run_its_commands = false;
  std::optional<std::filesystem::path> public_key;  // PEM
  std::optional<std::filesystem::path> trust_file;  // none: the user's own, if it exists
};

// Returns the rows of these flags for a command's option table.
std::vector<Flag<CommandTrust>> command_trust_flags();

// Checks the permission to run the commands that `bundle` names in its file `journal`. It is given if there
// are none; if this user's own process wrote the first line of that file, from this folder
// (remember_commands()); if the bundle verifies and is signed by the key of --pubkey or by one in the trust
// file; or with --run-its-commands, which prints them to stderr first. Otherwise prints them and throws
// Error(input).
void require_trust(const std::filesystem::path& bundle, const char* journal,
                   const std::vector<std::string>& commands, const CommandTrust& trust);

// Records a bundle just started by this process as the user's own, so that the user can resume it; a note on
// stderr reports failures. Does nothing without commands.
void remember_commands(const std::filesystem::path& bundle, const char* journal,
                       const std::vector<std::string>& commands);

}  // namespace aqbench::cli
