#pragma once
// commands.txt of a bundle: what was run, from which commit, and how it ended. Only ever appended to.

#include <filesystem>
#include <string>
#include <vector>

#include "core/stopwatch.h"

namespace aqbench {

// The git checkout around a folder; `problem` says why the rest is empty ("not in a git repository").
struct GitState {
  std::string commit, branch;  // branch "HEAD" when detached
  std::string status;          // `git status -sb`, lines
  std::string problem;
};
GitState read_git_state(const std::filesystem::path& folder);

// `word` as a POSIX shell reads it back; whole command line joined by blanks.
std::string shell_quote(const std::string& word);
std::string shell_join(const std::vector<std::string>& words);

// Appends UTC time, commit, branch, status and the command line to BUNDLE/commands.txt, before the run, so
// that a killed run still shows what it was. Throws Error(io).
void begin_command(const std::filesystem::path& bundle, const std::string& utc, const GitState& before,
                   const std::vector<std::string>& command_line);

// Appends the status after, the exit code and what time it took. Call it before finalise_bundle.
void end_command(const std::filesystem::path& bundle, const std::string& utc, const GitState& after,
                 int exit_code, const RunTimes& times);

}  // namespace aqbench
