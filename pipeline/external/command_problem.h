#pragma once
// Checks before a run whether a command can be started.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// The prefix of a word whose value is unknown before the command runs: {dataset}, {output}.
inline constexpr char kUnknownWord = '\1';

// Returns one line that names the missing file: the program, looked up in PATH if it has no slash, or the
// script of a known interpreter ("python3 -u run.py", "env NAME=1 bash run.sh"). Names are relative to
// `working_folder`; empty: that of this process. Returns "" if both exist, and where only the program can
// tell: "python3 -m module", "sh -c ...", a word that contains kUnknownWord. `knows_path`: PATH is that of
// this process.
std::string command_problem(const std::vector<std::string>& words,
                            const std::filesystem::path& working_folder, bool knows_path);

}  // namespace aqbench
