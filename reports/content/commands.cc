#include "reports/content/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/table.h"
#include "core/text.h"

namespace aqbench {
namespace {

// Each line indented by two blanks, so that no file name can look like a field of commands.txt.
std::string indented(std::string_view text) {
  constexpr std::size_t kMaxLines = 500;
  std::string out;
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (lines < kMaxLines) out += fmt::format("  {}\n", printable(text.substr(0, end)));
    ++lines;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines > kMaxLines) out += fmt::format("  ... {} more lines\n", lines - kMaxLines);
  return out;
}

std::string status_block(const char* when, const GitState& state) {
  if (!state.problem.empty()) return fmt::format("status {}: {}\n", when, printable(state.problem));
  return fmt::format("status {}:\n{}", when, indented(state.status));
}

void append_to_commands(const std::filesystem::path& bundle, const std::string& block) {
  const std::filesystem::path path = bundle / kCommandsFile;
  std::error_code error;
  const std::string before =
      std::filesystem::exists(path, error) ? read_text_file(path) : std::string(kCommandsTitle) + "\n";
  write_file(path, before + block);
}

}  // namespace

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
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("@%_+=:,./-").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
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

}  // namespace aqbench
