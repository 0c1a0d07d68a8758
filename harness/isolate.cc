#include "harness/isolate.h"

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

#include "harness/process_memory.h"
#include "harness/text.h"
#include "scenes/core/error.h"

namespace aqbench {
namespace {

using IsolateClock = std::chrono::steady_clock;
using End = IsolateOutcome::End;

constexpr auto kMemoryPoll = std::chrono::milliseconds(10);
constexpr auto kTick = std::chrono::milliseconds(250);
constexpr std::size_t kLogTailBytes = 2048;

// What the child sends: a tag, the length as 8 bytes, the bytes.
constexpr char kResultTag = 'R';
constexpr char kExceptionTag = 'E';
constexpr std::size_t kFrameHead = 1 + sizeof(std::uint64_t);

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }
  void reset(int descriptor = -1) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = descriptor;
  }

 private:
  int descriptor_;
};

[[noreturn]] void isolate_error(const char* what) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", what, std::strerror(errno)));
}

// ---- Child ----

void send_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(125);  // the parent has gone
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void send_frame(int descriptor, char tag, std::string_view bytes) {
  std::array<char, kFrameHead> head{tag};
  const std::uint64_t size = bytes.size();
  std::memcpy(head.data() + 1, &size, sizeof size);
  send_all(descriptor, {head.data(), head.size()});
  send_all(descriptor, bytes);
}

void set_up_child(pid_t parent, int log) {
  ::setpgid(0, 0);
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
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

// The same file under a number that the standard streams do not take.
int above_standard_streams(int descriptor) {
  return descriptor > STDERR_FILENO ? descriptor : ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

// Never returns and runs no atexit handlers and no destructors: those belong to the parent.
[[noreturn]] void run_child(const std::function<std::string()>& body, int pipe) {
  char tag = kExceptionTag;
  std::string bytes;
  try {
    bytes = body();
    tag = kResultTag;
  } catch (const std::exception& error) {
    bytes = error.what();
  } catch (...) {
    bytes = "an exception that is no std::exception";
  }
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  send_frame(pipe, tag, bytes);
  ::_exit(0);
}

// ---- Parent ----

struct Watch {
  pid_t child = -1;
  Descriptor pipe;     // what the child sends
  Descriptor process;  // readable when the child has ended; -1 where the kernel has no pidfd
  Descriptor log;
  off_t log_start = 0;
  std::string received;
};

void open_log(Watch& watch, const std::filesystem::path& file) {
  const std::filesystem::path path = file.empty() ? std::filesystem::path("/dev/null") : file;
  watch.log.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (watch.log.get() < 0) isolate_error(path.c_str());
  watch.log_start = ::lseek(watch.log.get(), 0, SEEK_END);
}

void start_child(Watch& watch, const std::function<std::string()>& body, const IsolateOptions& options) {
  open_log(watch, options.log_file);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) isolate_error("pipe to a child");
  watch.pipe.reset(ends[0]);
  Descriptor write_end(ends[1]);
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);  // else the child would write what is buffered once more
  const pid_t parent = ::getpid();
  watch.child = ::fork();
  if (watch.child < 0) isolate_error("fork");
  if (watch.child == 0) {
    const int pipe = above_standard_streams(write_end.get());
    set_up_child(parent, above_standard_streams(watch.log.get()));
    run_child(body, pipe);
  }
  ::setpgid(watch.child, watch.child);  // both sides do it, so that it holds for either from here on
  ::fcntl(watch.pipe.get(), F_SETFL, O_NONBLOCK);
  watch.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, watch.child, 0)));
}

// Takes what there is; false once the other end is closed.
bool receive(Watch& watch) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t count = ::read(watch.pipe.get(), buffer.data(), buffer.size());
    if (count > 0) {
      watch.received.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0;  // EAGAIN: later more
  }
}

// True when the child has ended; it stays a zombie, so that its process group cannot be another's yet.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

bool over_memory_limit(const Watch& watch, const IsolateOptions& options) {
  return options.memory_limit_bytes > 0 && resident_tree_bytes(watch.child) > options.memory_limit_bytes;
}

bool over_log_limit(const Watch& watch, const IsolateOptions& options) {
  struct stat status {};
  return ::fstat(watch.log.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(std::max<off_t>(status.st_size - watch.log_start, 0)) >
             options.log_limit_bytes;
}

// Waits until the child ends or must be ended, and says which: ok means that it ended by itself.
End watch_child(Watch& watch, const IsolateOptions& options, IsolateClock::time_point start) {
  bool pipe_open = true;
  auto next_tick = start + kTick;
  auto next_check = start;
  for (;;) {
    std::array<pollfd, 3> waits{{{pipe_open ? watch.pipe.get() : -1, POLLIN, 0},
                                 {watch.process.get(), POLLIN, 0},
                                 {options.cancel_descriptor, POLLIN, 0}}};
    // Without a pidfd the end of the pipe announces the child's end; a grandchild may hold it open, so look.
    const int wait_ms = watch.process.get() >= 0 ? static_cast<int>(kMemoryPoll.count()) : 2;
    ::poll(waits.data(), waits.size(), wait_ms);
    if (pipe_open) pipe_open = receive(watch);
    if ((waits[2].revents & POLLIN) != 0) return End::cancelled;
    if (has_ended(watch.child)) {
      if (pipe_open) receive(watch);
      return End::ok;
    }
    const auto now = IsolateClock::now();
    if (options.timeout_s > 0 && now - start >= std::chrono::duration<double>(options.timeout_s))
      return End::timeout;
    if (watch.received.size() > options.result_limit_bytes + kFrameHead) return End::result_limit;
    if (now >= next_check) {
      next_check = now + kMemoryPoll;
      if (over_memory_limit(watch, options)) return End::memory_limit;
      if (over_log_limit(watch, options)) return End::log_limit;
    }
    if (options.tick && now >= next_tick) {
      next_tick = now + kTick;
      options.tick();
    }
  }
}

// Ends everything in the child's group and reaps the child.
int reap(Watch& watch, IsolateOutcome& outcome) {
  ::kill(-watch.child, SIGKILL);
  ::kill(watch.child, SIGKILL);  // should it not have become a group yet
  int status = 0;
  rusage usage{};
  while (::wait4(watch.child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  outcome.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
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

void check(const IsolateOptions& options) {
  if (!std::isfinite(options.timeout_s) || options.timeout_s < 0)
    throw Error(ErrorKind::usage, fmt::format("timeout_s: {} is not a time", options.timeout_s));
}

IsolateOutcome run_isolated(const std::function<std::string()>& body, const IsolateOptions& options) {
  check(options);
  Watch watch;
  const auto start = IsolateClock::now();
  start_child(watch, body, options);
  IsolateOutcome outcome;
  outcome.end = watch_child(watch, options, start);
  const int status = reap(watch, outcome);
  outcome.wall_s = std::chrono::duration<double>(IsolateClock::now() - start).count();
  if (outcome.end == End::ok) judge_exit(watch.received, status, outcome);
  if (outcome.end != End::ok) outcome.log_tail = read_log_tail(options.log_file, watch.log_start);
  return outcome;
}

std::string describe(const IsolateOutcome& outcome, const IsolateOptions& options) {
  constexpr double mib = 1024.0 * 1024.0;
  switch (outcome.end) {
    case End::ok:
      return {};
    case End::threw:
      return one_line(outcome.message);
    case End::exited:
      return fmt::format("ended with exit code {} and gave no result", outcome.code);
    case End::signalled:
      return fmt::format("died of signal {} ({}){}", outcome.code, ::strsignal(outcome.code),
                         outcome.code == SIGKILL ? "; perhaps the system ran out of memory" : "");
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
