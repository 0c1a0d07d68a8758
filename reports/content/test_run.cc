#include "reports/content/test_run.h"

#include <fmt/format.h>

#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "reports/content/commands.h"

namespace aqbench {
namespace {

constexpr const char* kResultLead = "result: ";

// Returns "" for exit code 0, else what went wrong.
std::string run_logged(const std::filesystem::path& log, const std::vector<std::string>& argv) {
  append_to_file(log, "\n$ " + shell_join(argv) + "\n");
  IsolateOptions options;
  options.log_file = log;
  const RunClock clock;
  const IsolateOutcome outcome = run_isolated([&] { return std::to_string(run_to_end(argv)); }, options);
  std::string problem = outcome.end == IsolateOutcome::End::ok ? "" : describe(outcome, options);
  if (problem.empty() && outcome.result != "0")
    problem = fmt::format("{} ended with exit code {}", argv[0], one_line(outcome.result));
  append_to_file(
      log, fmt::format("exit code: {}\n{}",
                       problem.empty() ? "0" : one_line(outcome.result.empty() ? problem : outcome.result),
                       times_block(clock.elapsed())));
  return problem;
}

bool has_tests(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / "CTestTestfile.cmake", error);
}

}  // namespace

void check_test_dir(const std::filesystem::path& build_dir) {
  if (!has_tests(build_dir))
    throw input_error("{}: no tests there (no CTestTestfile.cmake)", build_dir.string());
}

TestRun run_tests(const std::filesystem::path& bundle, const std::filesystem::path& build_dir) {
  check_test_dir(build_dir);
  const std::filesystem::path log = bundle / kTestsLog;
  const std::string folder = std::filesystem::absolute(build_dir).lexically_normal().string();
  write_file(log, fmt::format("# Tests of {}, {}\n", one_line(folder), utc_now()));
  TestRun run;
  run.problem = run_logged(log, {"ctest", "--test-dir", folder, "-N"});
  if (run.problem.empty())
    run.problem = run_logged(log, {"ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error"});
  run.passed = run.problem.empty();
  append_to_file(
      log, fmt::format("\n{}{}\n", kResultLead, run.passed ? "passed" : "failed: " + one_line(run.problem)));
  return run;
}

std::string test_result(std::string_view log) {
  const std::size_t lead = log.rfind(std::string("\n") + kResultLead);
  if (lead == log.npos || !log.ends_with('\n')) return "";
  const std::string_view line = log.substr(lead + 1 + std::strlen(kResultLead));
  return one_line(line.substr(0, line.find('\n')));
}

std::filesystem::path own_build_dir() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error || !has_tests(folder))
    throw Error(ErrorKind::usage,
                "--with-tests: this program lies in no build folder with tests; give it: "
                "--with-tests=BUILD_DIR");
  return folder;
}

}  // namespace aqbench
