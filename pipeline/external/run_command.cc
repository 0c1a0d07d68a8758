#include "pipeline/external/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/error.h"

namespace aqbench {
namespace {

using CommandClock = std::chrono::steady_clock;

// What the supervisor tells.
struct CommandEnd {
  CommandOutcome::End end;
  int code;
};

class CommandPipe {
 public:
  CommandPipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw Error(ErrorKind::io, fmt::format("pipe to a command: {}", std::strerror(errno)));
  }
  ~CommandPipe() {
    close_read();
    close_write();
  }
  CommandPipe(const CommandPipe&) = delete;
  CommandPipe& operator=(const CommandPipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }

 private:
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// ---- In the forked children: nothing but system calls, for this process may have threads ----

[[noreturn]] void become_command(char* const* words, int log, int error_pipe) {
  ::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(error_pipe, &error, sizeof error);
  ::_exit(127);
}

CommandEnd end_of(int status, int error_pipe) {
  int error = 0;
  if (::read(error_pipe, &error, sizeof error) == static_cast<ssize_t>(sizeof error))
    return {CommandOutcome::End::not_started, error};
  if (WIFSIGNALED(status)) return {CommandOutcome::End::signalled, WTERMSIG(status)};
  return {CommandOutcome::End::exited, WEXITSTATUS(status)};
}

// Leads the command's process group, tells how the command ended, and ends the group: then, and when whoever
// waits for it closes `lifeline` or dies. That is why the command is not a child of the caller.
[[noreturn]] void supervise(char* const* words, int log, int lifeline, int report) {
  if (::setpgid(0, 0) != 0) ::_exit(125);  // else the kill below would hit the caller
  ::signal(SIGPIPE, SIG_IGN);              // the caller may be gone when the report is written
  std::array<int, 2> error_pipe{-1, -1};
  if (::pipe2(error_pipe.data(), O_CLOEXEC) != 0) ::_exit(125);
  const pid_t command = ::fork();
  if (command == 0) become_command(words, log, error_pipe[1]);
  ::close(error_pipe[1]);
  for (bool alive = true; alive && command > 0;) {
    int status = 0;
    if (::waitpid(command, &status, WNOHANG) == command) {
      const CommandEnd end = end_of(status, error_pipe[0]);
      [[maybe_unused]] const ssize_t ignored = ::write(report, &end, sizeof end);
      break;
    }
    constexpr int look_again_ms = 5;
    pollfd closed{lifeline, POLLIN, 0};
    alive = ::poll(&closed, 1, look_again_ms) <= 0;
  }
  ::kill(0, SIGKILL);
  ::_exit(0);
}

// ---- In the caller ----

bool is_too_long(const CommandOptions& options) {
  struct stat status {};
  return ::stat(options.log_file.c_str(), &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) > options.log_limit_bytes;
}

CommandOutcome wait_for(int report, const CommandOptions& options) {
  const auto deadline = CommandClock::now() + std::chrono::duration<double>(options.timeout_s);
  for (;;) {
    constexpr double look_s = 0.25;
    const double left_s = std::chrono::duration<double>(deadline - CommandClock::now()).count();
    if (left_s <= 0) return {CommandOutcome::End::timeout, 0};
    pollfd told{report, POLLIN, 0};
    if (::poll(&told, 1, 1 + static_cast<int>(1000 * std::min(left_s, look_s))) > 0) {
      CommandEnd end{};
      if (::read(report, &end, sizeof end) == static_cast<ssize_t>(sizeof end)) return {end.end, end.code};
      return {CommandOutcome::End::not_started,
              EAGAIN};  // no second process, or somebody killed the supervisor
    }
    if (is_too_long(options)) return {CommandOutcome::End::log_limit, 0};
  }
}

}  // namespace

CommandOutcome run_command(const std::vector<std::string>& words, const CommandOptions& options) {
  if (words.empty()) throw Error(ErrorKind::usage, "the command is empty");
  if (!(options.timeout_s > 0)) throw Error(ErrorKind::usage, "timeout_s: must be above 0");
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  CommandPipe lifeline, report;
  const int log = ::open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0)
    throw Error(ErrorKind::io, fmt::format("{}: {}", options.log_file.string(), std::strerror(errno)));
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    ::close(lifeline.write_end());
    ::close(report.read_end());
    supervise(arguments.data(), log, lifeline.read_end(), report.write_end());
  }
  const int fork_error = errno;
  ::close(log);
  if (supervisor < 0)
    throw Error(ErrorKind::io, fmt::format("fork for a command: {}", std::strerror(fork_error)));
  lifeline.close_read();
  report.close_write();
  const CommandOutcome outcome = wait_for(report.read_end(), options);
  lifeline.close_write();
  int status = 0;
  while (::waitpid(supervisor, &status, 0) < 0 && errno == EINTR) {
  }
  return outcome;
}

std::string describe(const CommandOutcome& outcome, const CommandOptions& options) {
  switch (outcome.end) {
    case CommandOutcome::End::exited:
      return fmt::format("ended with exit code {}", outcome.code);
    case CommandOutcome::End::signalled:
      return fmt::format("died of signal {} ({})", outcome.code, ::strsignal(outcome.code));
    case CommandOutcome::End::timeout:
      return fmt::format("was killed after {} s, its time limit", options.timeout_s);
    case CommandOutcome::End::log_limit:
      return fmt::format("was killed after writing {} MiB to its log", options.log_limit_bytes >> 20);
    case CommandOutcome::End::not_started:
      break;
  }
  return fmt::format("could not be started: {}", std::strerror(outcome.code));
}

}  // namespace aqbench
