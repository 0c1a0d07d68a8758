#include "core/sandbox/own_processes.h"

#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"

namespace aqbench {
namespace {

constexpr int kNoProcess = 125;  // exit code if a setup step failed

// Ends this process in the same way as another one ended. Must not be process 1, which cannot signal itself.
[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  ::prctl(PR_SET_DUMPABLE, 0);  // the inner process already dumped core, also where that is a report
  ::kill(::getpid(), WTERMSIG(status));
  ::_exit(128 + WTERMSIG(status));
}

// The process outside. If process 1 was killed it reported nothing, so its own end counts.
[[noreturn]] void wait_outside(pid_t first, int result_fd, const DeathSignal& outside) {
  set_again(outside);
  reset_signals();
  close_everything_but(result_fd);
  [[maybe_unused]] const int ignored = ::chdir("/");
  int status = 0;
  ssize_t size = 0;
  while ((size = ::read(result_fd, &status, sizeof status)) < 0 && errno == EINTR) {
  }
  const int own = wait_for_end(first);
  end_as(size == static_cast<ssize_t>(sizeof status) ? status : own);
}

// Process 1: adopts orphans and reports how the main process ended. It keeps one capability that no process
// inside has, so no process inside may ptrace it. From outside it is visible like any process of this user,
// even where /proc hides those of others.
[[noreturn]] void be_first(pid_t worker, int tell) {
  reset_signals();
  close_everything_but(tell);
  [[maybe_unused]] const int ignored = ::chdir("/");
  try {
    give_up_privileges({CAP_SYS_PTRACE});
  } catch (const Error&) {
    ::_exit(kNoProcess);
  }
  int status = 0;
  for (pid_t ended = 0; ended != worker;) {
    ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(kNoProcess);
  }
  [[maybe_unused]] const ssize_t written = ::write(tell, &status, sizeof status);
  ::_exit(0);
}

}  // namespace

DeathSignal death_signal() {
  DeathSignal now;
  now.parent = ::getppid();
  ::prctl(PR_GET_PDEATHSIG, &now.signal);
  return now;
}

void set_again(const DeathSignal& before) {
  if (before.signal == 0) return;
  ::prctl(PR_SET_PDEATHSIG, before.signal);
  if (::getppid() != before.parent) ::_exit(kNoProcess);
}

void go_on_among_own_processes(const DeathSignal& outside) {
  Pipe end("pipe to process 1");
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  ::prctl(PR_SET_NAME, "aqbench:first");  // process 1 always has this name
  const pid_t first = ::fork();
  if (first != 0) ::prctl(PR_SET_NAME, name.data());
  if (first < 0) throw Error(ErrorKind::io, std::string("fork: ") + std::strerror(errno));
  if (first > 0) {
    end.write.reset();
    wait_outside(first, end.read.get(), outside);
  }
  end.read.reset();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd other{end.write.get(), 0, 0};
  if (::poll(&other, 1, 0) > 0) ::_exit(kNoProcess);  // the outer process ended before the line above
  const pid_t worker = ::fork();
  if (worker < 0) ::_exit(kNoProcess);
  if (worker > 0) be_first(worker, end.write.get());
  ::prctl(PR_SET_NAME, name.data());
  ::setsid();  // otherwise signals for this process's group would reach those two
}

void give_up_privileges(std::initializer_list<int> kept) {
  constexpr int bits = 32;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (std::ranges::find(kept, capability) == kept.end()) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> held{};
  int failed = static_cast<int>(::syscall(SYS_capget, &header, held.data()));
  std::array<std::uint32_t, 2> mask{};
  for (const int capability : kept) mask.at(capability / bits) |= std::uint32_t{1} << (capability % bits);
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i].permitted &= mask[i];
    held[i].effective &= mask[i];
    held[i].inheritable &= mask[i];
  }
  if (failed == 0) failed = static_cast<int>(::syscall(SYS_capset, &header, held.data()));
  if (failed == 0) failed = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (failed != 0) throw io_error("giving up privileges: {}", std::strerror(errno));
}

}  // namespace aqbench
