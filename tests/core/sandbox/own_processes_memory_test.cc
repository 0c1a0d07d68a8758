// Memory limits of sandboxed processes, also where /proc hides them.
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/descriptor.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"
#include "core/sandbox/sandbox.h"

namespace aqbench {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr int kNotGranted = 77;  // an exit code

// That group sees all of /proc, and unprivileged processes may not map the administrator into a namespace.
void leave_administrators_group() {
  constexpr unsigned nobody = 65534;
  if (::geteuid() != 0) return;
  [[maybe_unused]] bool could = ::setgroups(0, nullptr) == 0;
  could = ::setresgid(nobody, nobody, nobody) == 0 && ::setresuid(nobody, nobody, nobody) == 0;
  ::prctl(PR_SET_DUMPABLE, 1);
}

// Hides the processes of others in /proc, like hidepid=2 on shared machines, for this process's child, which
// is process 1 of an unprivileged namespace. Returns its process id, 0 in the child; -1 on failure.
pid_t fork_where_proc_hides_others() {
  leave_administrators_group();
  const unsigned user = ::geteuid(), group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) != 0) return -1;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "1000 " << user << " 1\n";
  std::ofstream("/proc/self/gid_map") << "1000 " << group << " 1\n";
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2") != 0)
    ::_exit(kNotGranted);
  give_up_privileges({});
  return 0;
}

// Runs a sandboxed child that exceeds its memory limit. Returns the exit code that reports it.
int hold_beyond_limit(const SandboxMeans& means) {
  Pipe how("pipe of a test");
  const auto body = [&] {
    AccessList access;
    add_system_access(access);
    const std::string isolation = enter_sandbox(access, means);
    [[maybe_unused]] const ssize_t written = ::write(how.write.get(), isolation.data(), isolation.size());
    const std::string held(200 * kMebibyte, 'x');
    ::sleep(10);
    return held.substr(0, 1);
  };
  const IsolateOptions options{.timeout_s = 60, .memory_limit_bytes = 100 * kMebibyte};
  const IsolateOutcome outcome = run_isolated(body, options);
  std::string isolation(256, '\0');
  how.write.reset();
  isolation.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, ::read(how.read.get(), isolation.data(), isolation.size()))));
  if (!isolation.ends_with("own processes; network open")) return kNotGranted;
  return outcome.end == IsolateOutcome::End::memory_limit ? 0 : 1;
}

class MemoryOfOwnProcesses : public testing::TestWithParam<bool> {};

TEST_P(MemoryOfOwnProcesses, IsLimitedWhereProcHidesProcesses) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own memory is more than this";
#endif
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        const pid_t child = fork_where_proc_hides_others();
        if (child == 0) ::_exit(hold_beyond_limit({.landlock = GetParam(), .namespaces = true}));
        return std::to_string(child < 0 ? kNotGranted : WEXITSTATUS(wait_for_end(child)));
      },
      {.timeout_s = 60});
  if (outcome.result == std::to_string(kNotGranted)) GTEST_SKIP() << "no such /proc, or no namespaces in it";
  EXPECT_EQ(outcome.result, "0") << describe(outcome, {});
}

INSTANTIATE_TEST_SUITE_P(WithLandlock, MemoryOfOwnProcesses, testing::Bool());

}  // namespace
}  // namespace aqbench
