#include "pipeline/external/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/process.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

// What the supervisor tells.
struct CommandEnd {
  CommandOutcome::End end;
  int code;
};

// ---- In the forked child: nothing but system calls, for this process may have threads ----

CommandEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {CommandOutcome::End::signalled, WTERMSIG(status)};
  return {CommandOutcome::End::exited, WEXITSTATUS(status)};
}

void tell(int report, const CommandEnd& end) {
  [[maybe_unused]] const ssize_t ignored = ::write(report, &end, sizeof end);
}

// Leads the command's process group, tells how the command ended, and ends the group: then, and when whoever
// waits for it closes `lifeline` or dies. That is why the command is not a child of the caller.
[[noreturn]] void supervise(const ProgramStart& program, int lifeline, int report) {
  if (::setpgid(0, 0) != 0) ::_exit(125);  // else the kill below would hit the caller
  ::signal(SIGPIPE, SIG_IGN);              // the caller may be gone when the report is written
  pid_t command = -1;
  const int error = program.start(command);
  if (error != 0) tell(report, {CommandOutcome::End::not_started, error});
  for (bool alive = error == 0; alive;) {
    int status = 0;
    if (::waitpid(command, &status, WNOHANG) == command) {
      tell(report, end_of(status));
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
  const auto deadline = SteadyClock::now() + std::chrono::duration<double>(options.timeout_s);
  for (;;) {
    constexpr double look_s = 0.25;
    const double left_s = std::chrono::duration<double>(deadline - SteadyClock::now()).count();
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
  Pipe lifeline("pipe to a command"), report("pipe to a command");
  Descriptor log(::open(options.log_file.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (log.get() < 0) throw_file_error(options.log_file, errno);
  ProgramStart program(words);
  program.give(log.get(), STDOUT_FILENO);
  program.give(log.get(), STDERR_FILENO);
  program.close_stdin();
  program.reset_sigpipe();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    lifeline.write.reset();
    report.read.reset();
    supervise(program, lifeline.read.get(), report.write.get());
  }
  const int fork_error = errno;
  log.reset();
  if (supervisor < 0)
    throw Error(ErrorKind::io, fmt::format("fork for a command: {}", std::strerror(fork_error)));
  lifeline.read.reset();
  report.write.reset();
  const CommandOutcome outcome = wait_for(report.read.get(), options);
  lifeline.write.reset();
  wait_for_end(supervisor);
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
