#include "reports/commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "harness/text.h"
#include "reports/table.h"
#include "scenes/core/error.h"
#include "scenes/core/files.h"

namespace aqbench {
namespace {

constexpr const char* kCommandsName = "commands.txt";

constexpr auto kGitPatience = std::chrono::seconds(5);

struct GitOutput {
  int exit_code = -1;  // -1: git did not run, or not to its end
  std::string text;    // stdout and stderr
};

// What comes out of `descriptor` until it is closed; false if that takes too long.
bool read_in_time(int descriptor, std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + kGitPatience;
  char buffer[4096];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

// 0, and `child` runs git with its output in `write_end`; else an errno.
int spawn_git(std::vector<std::string> words, int write_end, pid_t& child) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, write_end, 1);
  ::posix_spawn_file_actions_adddup2(&actions, write_end, 2);
  const int error = ::posix_spawnp(&child, "git", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Without a shell, and without taking git's index lock: others may be at work in the checkout.
GitOutput run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"git", "--no-optional-locks", "-C", folder.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  GitOutput output;
  pid_t child = 0;
  const int error = spawn_git(std::move(words), ends[1], child);
  ::close(ends[1]);
  if (error == 0) {
    if (!read_in_time(ends[0], output.text)) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  ::close(ends[0]);
  while (output.text.ends_with('\n')) output.text.pop_back();
  return output;
}

// Each line indented by two blanks, so that no file name can look like a field of commands.txt.
std::string indented(std::string_view text) {
  constexpr std::size_t kMostLines = 500;
  std::string out;
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (lines < kMostLines) out += fmt::format("  {}\n", printable(text.substr(0, end)));
    ++lines;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines > kMostLines) out += fmt::format("  ... {} more lines\n", lines - kMostLines);
  return out;
}

std::string status_block(const char* when, const GitState& state) {
  if (!state.problem.empty()) return fmt::format("status {}: {}\n", when, state.problem);
  return fmt::format("status {}:\n{}", when, indented(state.status));
}

void append_to_commands(const std::filesystem::path& bundle, const std::string& block) {
  const std::filesystem::path path = bundle / kCommandsName;
  std::error_code error;
  const std::string before = std::filesystem::exists(path, error)
                                 ? read_file(path)
                                 : "# Commands of this bundle, in the order they ran.\n";
  write_file(path, before + block);
}

}  // namespace

GitState read_git_state(const std::filesystem::path& folder) {
  GitState state;
  const GitOutput inside = run_git(folder, {"rev-parse", "--is-inside-work-tree"});
  if (inside.exit_code < 0) {
    state.problem = "git could not be run";
  } else if (inside.exit_code != 0 || inside.text != "true") {
    const bool outside =
        inside.text.find("not a git repository") != std::string::npos || inside.text == "false";
    state.problem = outside ? "not in a git repository" : "git: " + one_line(inside.text);
  } else {
    // A repository without a commit yet has no HEAD.
    const GitOutput commit = run_git(folder, {"rev-parse", "--verify", "--quiet", "HEAD"});
    const GitOutput branch = run_git(folder, {"symbolic-ref", "--short", "--quiet", "HEAD"});
    state.commit = commit.exit_code == 0 ? commit.text : "none yet";
    state.branch = branch.exit_code == 0 ? branch.text : "HEAD";
    const GitOutput status = run_git(folder, {"status", "-sb"});
    state.status = status.exit_code == 0 ? status.text : "git status failed or took too long";
  }
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
                 int exit_code) {
  append_to_commands(
      bundle, fmt::format("finished: {}\n{}exit code: {}\n", utc, status_block("after", after), exit_code));
}

}  // namespace aqbench
