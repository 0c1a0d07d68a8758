#pragma once
// tests.log of a bundle: which tests the program that measured has, and what running them gave.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

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
