#include "core/processes/isolate.h"

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "core/descriptor.h"

namespace aqbench {
namespace {

// Returns whether this process has no capability any more; it may still gain some.
bool drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

// Leaves a daemon in a namespace sandbox without the supervisor that would have ended it. A closed one hides
// its files. Returns its process id; 0: no namespaces.
pid_t leave_daemon(bool closed) {
  Pipe report("pipe of a test");
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    ::setsid();
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(1);
    if (closed) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      ::prctl(PR_SET_DUMPABLE, 0);
    }
    const pid_t daemon = ::fork();
    if (daemon == 0) {
      ::setsid();
      for (;;) ::pause();
    }
    [[maybe_unused]] const ssize_t ignored = ::write(report.write.get(), &daemon, sizeof daemon);
    ::_exit(0);
  }
  report.write.reset();
  pid_t daemon = 0;
  const bool reported = ::read(report.read.get(), &daemon, sizeof daemon) == sizeof daemon;
  ::waitpid(supervisor, nullptr, 0);
  return reported ? daemon : 0;
}

TEST(Orphans, ASandboxedOneIsEnded) {
  const IsolateOutcome outcome =
      run_isolated([] { return std::to_string(leave_daemon(false)); }, {.timeout_s = 10});
  ASSERT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.message;
  const pid_t daemon = std::stoi(outcome.result);
  if (daemon == 0) GTEST_SKIP() << "no namespaces here";
  EXPECT_NE(::kill(daemon, 0), 0);
}

TEST(Orphans, ASandboxedOneWithHiddenFilesIsEnded) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) GTEST_SKIP() << "these tests can gain no privileges";
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        if (!drop_capabilities()) return "capabilities stay";
        const std::string daemon =
            run_isolated([] { return std::to_string(leave_daemon(true)); }, {.timeout_s = 10}).result;
        if (daemon == "0") return "skip";
        if (::kill(std::stoi(daemon), 0) == 0) {
          ::kill(std::stoi(daemon), SIGKILL);
          return "alive";
        }
        return "ended";
      },
      {.timeout_s = 20});
  if (outcome.result == "skip") GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(outcome.result, "ended") << describe(outcome, {});
}

// A child that is killed leaves its own isolated child behind, which dies with it.
TEST(Orphans, TheIsolatedChildOfAKilledChildIsTaken) {
  for (int i = 0; i < 5; ++i)
    run_isolated(
        []() -> std::string {
          run_isolated([]() -> std::string { return std::to_string(::pause()); }, {});
          return "";
        },
        {.timeout_s = 0.1});
  for (int i = 0; i < 100 && ::waitpid(-1, nullptr, WNOHANG) == 0; ++i) ::usleep(10'000);
  run_isolated([] { return std::string(); }, {});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "something is left";
}

}  // namespace
}  // namespace aqbench
