#pragma once
// commands.txt of a bundle: what was run, from which commit, and how it ended. Lines are only ever appended.

#include <filesystem>
#include <string>
#include <vector>

#include "core/stopwatch.h"

namespace aqbench {

// The name of the file in a bundle, and its first line.
inline constexpr const char* kCommandsFile = "commands.txt";
inline constexpr const char* kCommandsTitle = "# Commands of this bundle, in the order they ran.";

// The state of the git checkout around a folder.
struct GitState {
  std::string commit, branch;  // the branch is "HEAD" where it is detached
  std::string status;          // the lines of `git status -sb`
  std::string problem;         // why the rest is empty ("not in a git repository"); else empty
};
// Asks git about a folder.
GitState read_git_state(const std::filesystem::path& folder);

// Returns a word as a POSIX shell reads it back.
std::string shell_quote(const std::string& word);
// Returns a command line of quoted words.
std::string shell_join(const std::vector<std::string>& words);

// Appends UTC time, commit, branch, status and the command line to BUNDLE/commands.txt. Call it before the
// run, so that a killed run still shows what it was. Throws Error(io).
void begin_command(const std::filesystem::path& bundle, const std::string& utc, const GitState& before,
                   const std::vector<std::string>& command_line);

// Appends the status after the run, the exit code and what time it took. Call it before finalise_bundle().
void end_command(const std::filesystem::path& bundle, const std::string& utc, const GitState& after,
                 int exit_code, const RunTimes& times);

}  // namespace aqbench
