#pragma once
// tests.log of a bundle: which tests the program that measured has, and what running them gave.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

inline constexpr const char* kTestsLog = "tests.log";

struct TestRun {
  bool passed = false;
  std::string problem;  // one line, when not
};

// Writes BUNDLE/tests.log: `ctest -N` and then `ctest --output-on-failure` of a build folder, their output,
// exit codes and real, user and system time. Throws as check_test_dir(), and Error(io).
TestRun run_tests(const std::filesystem::path& bundle, const std::filesystem::path& build_dir);

// Throws Error(input) if the folder has no tests (no CTestTestfile.cmake).
void check_test_dir(const std::filesystem::path& build_dir);

// What a tests.log says: "passed", "failed: ..."; "" where it is cut off.
std::string test_result(std::string_view log);

// The folder of this program where that is a build folder with tests. Throws Error(usage).
std::filesystem::path own_build_dir();

}  // namespace aqbench
