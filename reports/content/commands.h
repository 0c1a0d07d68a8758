#pragma once
// commands.txt of a bundle: what was run, from which commit, and how it ended; lines are only ever appended.
// And tests.log: which tests the program that measured has, and what running them gave.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/stopwatch.h"

namespace aqbench {

// The state of the git checkout around a folder.
struct GitState {
  std::string commit, branch;  // the branch is "HEAD" where it is detached
  std::string status;          // the lines of `git status -sb`
  std::string problem;         // why the rest is empty ("not in a git repository"); else empty
};
// Asks git about a folder.
GitState read_git_state(const std::filesystem::path& folder);

// Returns whether a character is an ASCII letter, a digit or one of `others`.
bool is_plain(char c, std::string_view others);

// Returns the lines of a text, whose last one may lack its line break.
std::vector<std::string_view> lines_of(std::string_view text);

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

// The name of the log in a bundle.
inline constexpr const char* kTestsLog = "tests.log";

// Whether the tests passed.
struct TestRun {
  bool passed = false;
  std::string problem;  // one line if they did not
};

// Runs `ctest -N` and `ctest --output-on-failure` in a build folder and writes BUNDLE/tests.log: their
// output, exit codes, and real, user and system time. Throws as check_test_dir(), and Error(io).
TestRun run_tests(const std::filesystem::path& bundle, const std::filesystem::path& build_dir);

// Throws Error(input) if the folder has no tests (no CTestTestfile.cmake).
void check_test_dir(const std::filesystem::path& build_dir);

// Returns what a tests.log says: "passed" or "failed: ..."; "" where the log is cut off.
std::string test_result(std::string_view log);

// Returns the build folder that this program lies in. Throws Error(usage) if its folder is no build folder
// with tests.
std::filesystem::path own_build_dir();

}  // namespace aqbench
