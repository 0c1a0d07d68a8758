#pragma once
// Whether a command can be started at all, found out before anything runs.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// Is the start of a word whose value is not known before the command runs: {dataset}, {output}.
inline constexpr char kUnknownWord = '\1';

// Returns one line that names the missing file: the program, looked up in PATH where it has no slash, or the
// script that a known interpreter is given ("python3 -u run.py", "env NAME=1 bash run.sh"). Names are
// relative to `working_folder`; empty: to that of this process. "" where both are there, and where only the
// program itself knows: "python3 -m module", "sh -c ...", a word that holds kUnknownWord. `knows_path`: PATH
// is that of this process.
std::string command_problem(const std::vector<std::string>& words,
                            const std::filesystem::path& working_folder, bool knows_path);

}  // namespace aqbench
