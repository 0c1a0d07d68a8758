#include "pipeline/external/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/process.h"
#include "core/sandbox/sandbox.h"
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

// What the supervisor and the command need, made before the fork.
struct Launch {
  const ProgramStart& program;
  const InnerSandbox& sandbox;
  int lifeline;  // closed by whoever waits for the command, or with its end
  int report;    // takes a CommandEnd
};

// The command leads a session without a terminal: nothing that it does to one stops or changes anything.
[[noreturn]] void become_command(const Launch& launch, int start_report) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_on_exec_from(STDERR_FILENO + 1);
  int error = launch.sandbox.enter();
  if (error == 0) error = launch.program.become();
  [[maybe_unused]] const ssize_t ignored = ::write(start_report, &error, sizeof error);
  ::_exit(125);
}

// Kills every child of this process, which is a list of numbers in /proc.
void kill_children(int children) {
  std::array<char, 4096> numbers{};
  const ssize_t size = ::pread(children, numbers.data(), numbers.size(), 0);
  pid_t child = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (numbers[static_cast<std::size_t>(i)] != ' ') {
      child = 10 * child + (numbers[static_cast<std::size_t>(i)] - '0');
      continue;
    }
    if (child > 0) ::kill(child, SIGKILL);
    child = 0;
  }
}

// Ends the command's group and all that left it: orphans become children of the supervisor.
void end_all(pid_t command, int children) {
  constexpr int tries = 2000, pause_us = 1000;  // a process that the kernel holds back cannot be waited for
  for (int i = 0; i < tries; ++i) {
    ::kill(-command, SIGKILL);
    kill_children(children);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    ::usleep(pause_us);
  }
}

// Waits for the command from a session of its own, so that nothing done to the command's group or to the
// caller's reaches it, tells how it ended, and ends all that it started: then, and when whoever waits for it
// closes the lifeline or dies.
[[noreturn]] void supervise(const Launch& launch) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);  // the caller may be gone when the report is written
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::array<int, 2> started{};
  if (::pipe2(started.data(), O_CLOEXEC) != 0) ::_exit(125);
  const pid_t command = ::fork();
  if (command == 0) become_command(launch, started[1]);
  if (command < 0) ::_exit(125);
  ::close(started[1]);
  const int children = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  int error = 0;
  const bool refused = ::read(started[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  if (refused) tell(launch.report, {CommandOutcome::End::not_started, error});
  for (bool alive = !refused; alive;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended == command) {
      tell(launch.report, end_of(status));
      break;
    }
    if (ended > 0) continue;  // an orphan
    constexpr int look_again_ms = 5;
    pollfd closed{launch.lifeline, POLLIN, 0};
    alive = ::poll(&closed, 1, look_again_ms) <= 0;
  }
  end_all(command, children);
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
  program.leave_out_variables("AQBENCH_");
  if (!options.access.temporary.empty()) program.set_variable("TMPDIR", options.access.temporary.string());
  const InnerSandbox sandbox(options.access, sandbox_means_from_environment());
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    lifeline.write.reset();
    report.read.reset();
    supervise({program, sandbox, lifeline.read.get(), report.write.get()});
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
