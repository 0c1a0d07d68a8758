#include "core/processes/isolate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/resources.h"
#include "core/stopwatch.h"
#include "core/text.h"

namespace aqbench {

struct IsolatedChild {
  IsolateOptions options;
  SteadyClock::time_point start = SteadyClock::now();
  pid_t process_id = -1;
  Descriptor pipe;   // output of the child
  Descriptor ended;  // readable after the child ended; -1 if the kernel has no pidfd
  Descriptor log;
  off_t log_start = 0;
  std::string received;
  WatchedMemory memory;
};

namespace {

using End = IsolateOutcome::End;

constexpr auto kMemoryPoll = std::chrono::milliseconds(10);
constexpr auto kTick = std::chrono::milliseconds(250);
constexpr std::size_t kLogTailBytes = 2048;

// The child's message: a tag, the length in 8 bytes, the bytes.
constexpr char kResultTag = 'R';
constexpr char kExceptionTag = 'E';
constexpr std::size_t kFrameHead = 1 + sizeof(std::uint64_t);

[[noreturn]] void isolate_error(const char* what) { throw io_error("{}: {}", what, std::strerror(errno)); }

// ---- Child ----

void send_frame(int descriptor, char tag, std::string_view bytes) {
  std::array<char, kFrameHead> head{tag};
  const std::uint64_t size = bytes.size();
  std::memcpy(head.data() + 1, &size, sizeof size);
  if (write_all(descriptor, {head.data(), head.size()}) != 0 || write_all(descriptor, bytes) != 0)
    ::_exit(125);  // the parent is gone
}

void set_up_child(pid_t parent, int log) {
  ::setpgid(0, 0);
  reset_signals();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(125);  // the parent died before the line above
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

// Returns a duplicate of the descriptor above the standard streams.
int above_standard_streams(int descriptor) {
  return descriptor > STDERR_FILENO ? descriptor : ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

std::string run_with_descriptors(const IsolateOptions& options, const std::function<std::string()>& body,
                                 int pipe) {
  if (options.descriptors) {
    std::vector<int> kept = *options.descriptors;
    kept.push_back(pipe);
    close_all_but(kept);
  }
  return body();
}

// Runs the body and exits without atexit handlers and destructors, which belong to the parent.
[[noreturn]] void run_child(const std::function<std::string()>& body, int pipe) {
  char tag = kExceptionTag;
  std::string bytes;
  try {
    bytes = body();
    tag = kResultTag;
  } catch (const std::exception& error) {
    bytes = error.what();
  } catch (...) {
    bytes = "unknown exception";
  }
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  send_frame(pipe, tag, bytes);
  ::_exit(0);
}

// ---- Parent ----

// Returns whether the child has ended. It stays a zombie, so its process group cannot be reused.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

void open_log(IsolatedChild& child, const std::filesystem::path& file) {
  const std::filesystem::path path = file.empty() ? std::filesystem::path("/dev/null") : file;
  child.log.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (child.log.get() < 0) throw_file_error(path, errno);
  child.log_start = ::lseek(child.log.get(), 0, SEEK_END);
}

void start_child(IsolatedChild& child, const std::function<std::string()>& body) {
  open_log(child, child.options.log_file);
  Pipe pipe("pipe to a child");
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);  // otherwise the child would write the buffered text again
  const pid_t parent = ::getpid();
  take_in_orphans();
  child.process_id = ::fork();
  if (child.process_id < 0) isolate_error("fork");
  if (child.process_id == 0) {
    set_up_child(parent, above_standard_streams(child.log.get()));
    run_child([&] { return run_with_descriptors(child.options, body, pipe.write.get()); }, pipe.write.get());
  }
  begin_group(child.process_id);
  child.pipe = std::move(pipe.read);
  // Parent and child both do this, so that each can rely on it from here on.
  ::setpgid(child.process_id, child.process_id);
  ::fcntl(child.pipe.get(), F_SETFL, O_NONBLOCK);
  child.ended.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.process_id, 0)));
}

bool over_result_limit(const IsolatedChild& child) {
  return child.received.size() > child.options.result_limit_bytes + kFrameHead;
}

// Reads available bytes, up to just above the limit. Returns false once the other end is closed.
bool receive(IsolatedChild& child) {
  std::array<char, 1 << 16> buffer;
  while (!over_result_limit(child)) {
    const ssize_t count = ::read(child.pipe.get(), buffer.data(), buffer.size());
    if (count > 0) {
      child.received.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0;  // EAGAIN: more may come later
  }
  return true;
}

bool over_memory_limit(IsolatedChild& child) {
  const std::uint64_t limit = child.options.memory_limit_bytes;
  return limit > 0 && exceeds_memory(child.process_id, limit, child.memory);
}

bool over_log_limit(const IsolatedChild& child) {
  struct stat status {};
  return ::fstat(child.log.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(std::max<off_t>(status.st_size - child.log_start, 0)) >
             child.options.log_limit_bytes;
}

// Waits until the child ends or a limit is reached, and returns which; ok: it ended by itself.
End watch_child(IsolatedChild& child) {
  const IsolateOptions& options = child.options;
  bool pipe_open = true;
  auto next_tick = child.start + kTick;
  auto next_check = child.start;
  for (;;) {
    std::array<pollfd, 3> waits{{{pipe_open ? child.pipe.get() : -1, POLLIN, 0},
                                 {child.ended.get(), POLLIN, 0},
                                 {options.cancel_descriptor, POLLIN, 0}}};
    // Without a pidfd only the closed pipe signals the end, and a grandchild may hold it: poll often.
    const int wait_ms = child.ended.get() >= 0 ? static_cast<int>(kMemoryPoll.count()) : 2;
    ::poll(waits.data(), waits.size(), wait_ms);
    if (pipe_open) pipe_open = receive(child);
    if ((waits[2].revents & POLLIN) != 0) return End::cancelled;
    if (has_ended(child.process_id)) {
      if (pipe_open) receive(child);
      return over_result_limit(child) ? End::result_limit : End::ok;
    }
    const auto now = SteadyClock::now();
    if (options.timeout_s > 0 && now - child.start >= std::chrono::duration<double>(options.timeout_s))
      return End::timeout;
    if (over_result_limit(child)) return End::result_limit;
    if (now >= next_check) {
      next_check = now + kMemoryPoll;
      if (over_memory_limit(child)) return End::memory_limit;
      if (over_log_limit(child)) return End::log_limit;
    }
    if (options.tick && now >= next_tick) {
      next_tick = now + kTick;
      options.tick();
    }
  }
}

// Kills the child's group, reaps the child, and ends orphans that come to this process.
int reap(IsolatedChild& child, IsolateOutcome& outcome) {
  ::kill(-child.process_id, SIGKILL);
  ::kill(child.process_id, SIGKILL);  // in case its group does not exist yet
  int status = 0;
  rusage usage{};
  while (::wait4(child.process_id, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  end_group(child.process_id);
  child.process_id = -1;
  outcome.peak_rss_bytes =
      std::max(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024, child.memory.peak_bytes);
  return status;
}

bool has_frame(const std::string& received, char tag) {
  std::uint64_t size = 0;
  if (received.size() < kFrameHead || received[0] != tag) return false;
  std::memcpy(&size, received.data() + 1, sizeof size);
  return received.size() - kFrameHead == size;
}

void judge_exit(const std::string& received, int status, IsolateOutcome& outcome) {
  if (WIFSIGNALED(status)) {
    outcome.end = End::signalled;
    outcome.code = WTERMSIG(status);
  } else if (has_frame(received, kResultTag) && WEXITSTATUS(status) == 0) {
    outcome.end = End::ok;
    outcome.result = received.substr(kFrameHead);
  } else if (has_frame(received, kExceptionTag) && WEXITSTATUS(status) == 0) {
    outcome.end = End::threw;
    outcome.message = received.substr(kFrameHead);
  } else {
    outcome.end = End::exited;
    outcome.code = WEXITSTATUS(status);
  }
}

std::string read_log_tail(const std::filesystem::path& file, off_t start) {
  if (file.empty()) return {};
  const Descriptor log(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const off_t end = ::lseek(log.get(), 0, SEEK_END);
  if (end <= start) return {};
  const off_t first = std::max(start, end - static_cast<off_t>(kLogTailBytes));
  std::string tail(static_cast<std::size_t>(end - first), '\0');
  const ssize_t count = ::pread(log.get(), tail.data(), tail.size(), first);
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return tail;
}

}  // namespace

void reset_signals() {
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void check(const IsolateOptions& options) {
  if (!std::isfinite(options.timeout_s) || options.timeout_s < 0)
    throw usage_error("timeout_s: {} must be a finite number of seconds, at least 0", options.timeout_s);
}

IsolatedProcess::IsolatedProcess(const std::function<std::string()>& body, const IsolateOptions& options)
    : child_(std::make_unique<IsolatedChild>()) {
  check(options);
  child_->options = options;
  start_child(*child_, body);
}

IsolatedProcess::~IsolatedProcess() {
  IsolateOutcome unwanted;
  if (child_->process_id > 0) reap(*child_, unwanted);
}

IsolateOutcome IsolatedProcess::wait() {
  IsolateOutcome outcome;
  outcome.end = watch_child(*child_);
  const int status = reap(*child_, outcome);
  outcome.wall_s = seconds_since(child_->start);
  if (outcome.end == End::ok) judge_exit(child_->received, status, outcome);
  if (outcome.end != End::ok) outcome.log_tail = read_log_tail(child_->options.log_file, child_->log_start);
  return outcome;
}

IsolateOutcome run_isolated(const std::function<std::string()>& body, const IsolateOptions& options) {
  return IsolatedProcess(body, options).wait();
}

std::string describe(const IsolateOutcome& outcome, const IsolateOptions& options) {
  constexpr double mib = 1024.0 * 1024.0;
  switch (outcome.end) {
    case End::ok:
      return {};
    case End::threw:
      return one_line(outcome.message);
    case End::exited:
      return fmt::format("exited with code {} without a result", outcome.code);
    case End::signalled:
      return fmt::format("died of signal {} ({}){}", outcome.code, ::strsignal(outcome.code),
                         outcome.code == SIGKILL ? "; the system may have run out of memory" : "");
    case End::timeout:
      return fmt::format("killed after {} s, its time limit", options.timeout_s);
    case End::memory_limit:
      return fmt::format("killed above {:.0f} MiB of resident memory, its limit",
                         static_cast<double>(options.memory_limit_bytes) / mib);
    case End::log_limit:
      return fmt::format("killed after writing {:.0f} MiB to its log",
                         static_cast<double>(options.log_limit_bytes) / mib);
    case End::result_limit:
      return fmt::format("killed because its result is larger than {:.0f} MiB",
                         static_cast<double>(options.result_limit_bytes) / mib);
    case End::cancelled:
      break;
  }
  return "killed because the sweep was interrupted";
}

}  // namespace aqbench
