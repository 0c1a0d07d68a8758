#include "pipeline/external/external.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/resources.h"
#include "core/sandbox/sandbox.h"
#include "core/stopwatch.h"
#include "core/text.h"

namespace aqbench {
namespace {

// How a command ended.
struct CommandEnd {
  CommandOutcome::End end;
  int code;
};

// The message of the supervisor.
struct Message {
  enum class What { started, ended, used } what;
  CommandEnd end;
  rusage usage;              // of all ended children
  std::array<char, 256> io;  // text of /proc/self/io, which includes them; empty: unreadable
};

// ---- In the forked child: system calls only, because this process may have threads ----

CommandEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {CommandOutcome::End::signalled, WTERMSIG(status)};
  return {CommandOutcome::End::exited, WEXITSTATUS(status)};
}

void tell(int report, const Message& message) {
  [[maybe_unused]] const ssize_t ignored = ::write(report, &message, sizeof message);
}

void tell_end(int report, const CommandEnd& end) { tell(report, {Message::What::ended, end, {}, {}}); }

void tell_use(int report) {
  Message message{Message::What::used, {}, {}, {}};
  ::getrusage(RUSAGE_CHILDREN, &message.usage);
  const int io = ::open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (io >= 0 && ::read(io, message.io.data(), message.io.size() - 1) < 0) message.io[0] = '\0';
  tell(report, message);
}

// Data for the supervisor and the command, prepared before the fork.
struct Launch {
  const ProgramStart& program;
  const InnerSandbox& sandbox;
  const char* folder;  // working folder of the command; nullptr: this process's
  int lifeline;        // closed by the waiting process, or when it ends
  int report;          // receives the message
};

// The command leads a session without a terminal, so it cannot stop or change one.
[[noreturn]] void become_command(const Launch& launch, int start_report) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_on_exec_from(STDERR_FILENO + 1);
  int error = launch.folder != nullptr && ::chdir(launch.folder) != 0 ? errno : 0;
  if (error == 0) error = launch.sandbox.enter();
  if (error == 0) error = launch.program.become();
  [[maybe_unused]] const ssize_t ignored = ::write(start_report, &error, sizeof error);
  ::_exit(125);
}

// Kills every child of this process, listed in /proc.
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

// Ends the command's group and all processes that left it: orphans become children of the supervisor.
void end_all(pid_t command, int children) {
  constexpr int tries = 2000, pause_us = 1000;  // a process blocked in the kernel cannot be reaped
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

// Waits for the command in its own session, so that signals to the command's or the caller's group do not
// reach it, reports its end, and kills everything it started: then, and when the waiting process closes the
// lifeline or dies.
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
  if (refused)
    tell_end(launch.report, {CommandOutcome::End::not_started, error});
  else
    tell(launch.report, {Message::What::started, {}, {}, {}});
  for (bool alive = !refused; alive;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended == command) {
      tell_end(launch.report, end_of(status));
      break;
    }
    if (ended > 0) continue;  // an orphan
    constexpr int look_again_ms = 5;
    pollfd closed{launch.lifeline, POLLIN, 0};
    alive = ::poll(&closed, 1, look_again_ms) <= 0;
  }
  end_all(command, children);
  tell_use(launch.report);
  ::_exit(0);
}

// ---- In the caller ----

bool is_too_long(const CommandOptions& options) {
  struct stat status {};
  return ::stat(options.log_file.c_str(), &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) > options.log_limit_bytes;
}

// Observes the memory of a running command and its children.
class MemoryWatch {
 public:
  explicit MemoryWatch(pid_t supervisor) : supervisor_(supervisor), own_bytes_(resident_bytes(::getpid())) {}

  // Call once the command is its own process.
  void look() {
    const auto start = SteadyClock::now();
    const TreeMemory memory = descendants_memory(supervisor_);
    peak_bytes_ = std::max({peak_bytes_, memory.resident_bytes, memory.largest_peak_bytes});
    ++looks_;
    constexpr double most_of_the_time = 0.02;
    pause_s_ = std::clamp(seconds_since(start) / most_of_the_time, kShortestPause_s, 1.0);
  }
  double pause_s() const { return pause_s_; }

  // Returns the peak; 0 if it is unknown. The system's peak is that of the largest process, however
  // short-lived; but before exec a process has this one's size. A program that ends after a look or two was
  // only seen as it started.
  std::uint64_t peak_bytes(const rusage& usage) const {
    const std::uint64_t largest = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    if (largest > own_bytes_ + own_bytes_ / 50) return std::max(peak_bytes_, largest);
    return looks_ > 2 ? peak_bytes_ : 0;
  }

 private:
  static constexpr double kShortestPause_s = 0.01;
  pid_t supervisor_;
  std::uint64_t own_bytes_, peak_bytes_ = 0;
  double pause_s_ = kShortestPause_s;
  int looks_ = 0;
};

bool hear(int report, Message& message) {
  return ::read(report, &message, sizeof message) == static_cast<ssize_t>(sizeof message);
}

CommandOutcome wait_for(int report, const CommandOptions& options, MemoryWatch& memory) {
  const auto start = SteadyClock::now();
  bool started = false;
  double log_look_s = 0;
  for (;;) {
    constexpr double look_s = 0.25;
    const double left_s = options.timeout_s - seconds_since(start);
    if (left_s <= 0) return {CommandOutcome::End::timeout, 0};
    pollfd news{report, POLLIN, 0};
    const double wait_s = std::min(left_s, started ? memory.pause_s() : look_s);
    if (::poll(&news, 1, 1 + static_cast<int>(1000 * wait_s)) > 0) {
      Message message{};
      // Without a message there was no second process, or the supervisor was killed.
      if (!hear(report, message))
        return started ? CommandOutcome{CommandOutcome::End::unsupervised, 0}
                       : CommandOutcome{CommandOutcome::End::not_started, EAGAIN};
      if (message.what == Message::What::ended) return {message.end.end, message.end.code};
      started = true;
    }
    if (started) memory.look();
    if (seconds_since(start) < log_look_s + look_s) continue;
    log_look_s = seconds_since(start);
    if (is_too_long(options)) return {CommandOutcome::End::log_limit, 0};
  }
}

std::optional<std::uint64_t> counter_in(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  std::uint64_t value = 0;
  if (at == text.npos) return std::nullopt;
  const char* const begin = text.data() + at + name.size();
  return std::from_chars(begin, text.data() + text.size(), value).ec == std::errc{} ? std::optional(value)
                                                                                    : std::nullopt;
}

// Returns the resources used by all processes of a command; the supervisor reports them at the end.
std::optional<ProgramUse> hear_use(int report, const MemoryWatch& memory) {
  Message message{};
  while (hear(report, message)) {
    if (message.what != Message::What::used) continue;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const auto count = [](long number) { return static_cast<std::uint64_t>(number); };
    const std::string_view io(message.io.data());
    ProgramUse use;
    use.cpu_user_s = seconds(message.usage.ru_utime);
    use.cpu_system_s = seconds(message.usage.ru_stime);
    if (const std::uint64_t peak = memory.peak_bytes(message.usage); peak > 0) use.peak_resident_bytes = peak;
    use.read_bytes = counter_in(io, "rchar: ");
    use.written_bytes = counter_in(io, "wchar: ");
    use.minor_faults = count(message.usage.ru_minflt);
    use.major_faults = count(message.usage.ru_majflt);
    use.voluntary_switches = count(message.usage.ru_nvcsw);
    use.involuntary_switches = count(message.usage.ru_nivcsw);
    return use;
  }
  return std::nullopt;
}

}  // namespace

CommandOutcome run_command(const std::vector<std::string>& words, const CommandOptions& options) {
  Pipe lifeline("pipe to a command"), report("pipe to a command");
  Descriptor log(::open(options.log_file.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (log.get() < 0) throw_file_error(options.log_file, errno);
  ProgramStart program(words);
  program.give(log.get(), STDOUT_FILENO);
  program.give(log.get(), STDERR_FILENO);
  program.close_stdin();
  program.reset_sigpipe();
  program.keep_variables(is_passed_on);
  for (const auto& [name, value] : options.variables) program.set_variable(name, value);
  if (!options.access.temporary.empty()) program.set_variable("TMPDIR", options.access.temporary.string());
  const InnerSandbox sandbox(options.access, sandbox_means_from_environment());
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    lifeline.write.reset();
    report.read.reset();
    supervise({program, sandbox, options.working_folder.empty() ? nullptr : options.working_folder.c_str(),
               lifeline.read.get(), report.write.get()});
  }
  const int fork_error = errno;
  log.reset();
  if (supervisor < 0) throw io_error("fork for a command: {}", std::strerror(fork_error));
  lifeline.read.reset();
  report.write.reset();
  MemoryWatch memory(supervisor);
  CommandOutcome outcome = wait_for(report.read.get(), options, memory);
  lifeline.write.reset();
  outcome.use = hear_use(report.read.get(), memory);
  outcome.program = words.front();
  wait_for_end(supervisor);
  return outcome;
}

std::string describe(const CommandOutcome& outcome, const CommandOptions& options) {
  switch (outcome.end) {
    case CommandOutcome::End::exited:
      if (outcome.code > 128 && outcome.code < 160)  // as shells say of a program that they ran
        return fmt::format("ended with exit code {} (128 + signal {}: {})", outcome.code, outcome.code - 128,
                           ::strsignal(outcome.code - 128));
      return fmt::format("ended with exit code {}", outcome.code);
    case CommandOutcome::End::signalled:
      return fmt::format("died of signal {} ({})", outcome.code, ::strsignal(outcome.code));
    case CommandOutcome::End::timeout:
      return fmt::format("was killed after {} s, its time limit", options.timeout_s);
    case CommandOutcome::End::log_limit:
      return fmt::format("was killed after writing {} MiB to its log", options.log_limit_bytes >> 20);
    case CommandOutcome::End::unsupervised:
      return "lost its supervisor, which was killed; the rest of the command was killed too";
    case CommandOutcome::End::not_started:
      break;
  }
  return fmt::format("could not be started: {}: {}", outcome.program, std::strerror(outcome.code));
}

std::string last_words(const std::filesystem::path& log) {
  constexpr std::streamoff tail_bytes = 1 << 16;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size <= 0) return {};
  file.seekg(std::max<std::streamoff>(0, size - tail_bytes));
  std::string line, last, raised;
  for (bool in_traceback = false; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    last = line;
    if (line.starts_with("Traceback (most recent call last)")) {
      in_traceback = true;
    } else if (in_traceback && line.front() != ' ') {
      raised = line;
      in_traceback = false;
    }
  }
  if (raised.empty() || raised == last) return escape_bytes(last);
  return escape_bytes(raised) + "; last: " + escape_bytes(last);
}

}  // namespace aqbench
