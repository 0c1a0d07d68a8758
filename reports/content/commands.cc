#include "reports/content/commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"
#include "core/text.h"

namespace aqbench {
namespace {

// Each line indented by two blanks, so that no file name can look like a field of commands.txt.
std::string indented(std::string_view text) {
  constexpr std::size_t kMaxLines = 500;
  std::string out;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i)
    out += fmt::format("  {}\n", printable(lines[i]));
  if (lines.size() > kMaxLines) out += fmt::format("  ... {} more lines\n", lines.size() - kMaxLines);
  return out;
}

std::string status_block(const char* when, const GitState& state) {
  if (!state.problem.empty()) return fmt::format("status {}: {}\n", when, printable(state.problem));
  return fmt::format("status {}:\n{}", when, indented(state.status));
}

void append_to_commands(const std::filesystem::path& bundle, const std::string& block) {
  const std::filesystem::path path = bundle / "commands.txt";
  const std::string before =
      path_exists(path) ? read_text_file(path) : "# Commands of this bundle, in the order they ran.\n";
  write_file(path, before + block);
}

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

bool has_tests(const std::filesystem::path& folder) { return path_exists(folder / "CTestTestfile.cmake"); }

}  // namespace

bool is_plain(char c, std::string_view others) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         others.find(c) != others.npos;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split_at(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

GitState read_git_state(const std::filesystem::path& folder) {
  GitState state;
  const ProgramAnswer inside = ask_git(folder, {"rev-parse", "--is-inside-work-tree"});
  if (inside.output != "true") {
    const bool outside = inside.ok || inside.problem.find("not a git repository") != std::string::npos;
    state.problem = outside ? "not in a git repository" : "unknown: " + one_line(inside.problem);
    return state;
  }
  // A repository without a commit yet has no HEAD; a detached one has no branch.
  const ProgramAnswer commit = ask_git(folder, {"rev-parse", "--verify", "--quiet", "HEAD"});
  const ProgramAnswer branch = ask_git(folder, {"symbolic-ref", "--short", "--quiet", "HEAD"});
  const ProgramAnswer status = ask_git(folder, {"status", "-sb"});
  state.commit = commit.ok ? commit.output : "none yet";
  state.branch = branch.ok ? branch.output : "HEAD";
  state.status = status.ok ? status.output : "unknown: " + one_line(status.problem);
  return state;
}

std::string shell_quote(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, [](char c) { return is_plain(c, "@%_+=:,./-"); }))
    return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quote(word);
  return line;
}

void begin_command(const std::filesystem::path& bundle, const std::string& utc, const GitState& before,
                   const std::vector<std::string>& command_line) {
  append_to_commands(bundle,
                     fmt::format("\nstarted: {}\ncommit: {}\nbranch: {}\n{}command: {}\n", utc,
                                 before.commit.empty() ? "none" : before.commit,
                                 before.branch.empty() ? "none" : printable(before.branch),
                                 status_block("before", before), printable(shell_join(command_line))));
}

void end_command(const std::filesystem::path& bundle, const std::string& utc, const GitState& after,
                 int exit_code, const RunTimes& times) {
  append_to_commands(bundle, fmt::format("finished: {}\n{}exit code: {}\n{}", utc,
                                         status_block("after", after), exit_code, times_block(times)));
}

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
