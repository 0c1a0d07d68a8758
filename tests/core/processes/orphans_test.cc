#include "core/processes/orphans.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "core/descriptor.h"
#include "core/processes/isolate.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

// A program that is shut in by a namespace alone can kill its supervisor, which would have ended it.
TEST(Orphans, OneThatIsShutInIsEnded) {
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        Pipe report("pipe of a test");
        const pid_t supervisor = ::fork();
        if (supervisor == 0) {
          ::setsid();
          if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(1);
          const pid_t orphan = ::fork();
          if (orphan == 0) {
            ::setsid();
            for (;;) ::pause();
          }
          [[maybe_unused]] const ssize_t ignored = ::write(report.write.get(), &orphan, sizeof orphan);
          ::_exit(0);
        }
        report.write.reset();
        pid_t orphan = 0;
        const bool told = ::read(report.read.get(), &orphan, sizeof orphan) == sizeof orphan;
        ::waitpid(supervisor, nullptr, 0);
        return told ? std::to_string(orphan) : "";
      },
      {.timeout_s = 10});
  ASSERT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.message;
  if (outcome.result.empty()) GTEST_SKIP() << "no namespaces here";
  EXPECT_NE(::kill(std::stoi(outcome.result), 0), 0);
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
