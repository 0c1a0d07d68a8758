#include "core/processes/isolate.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <thread>

#include "core/files.h"
#include "core/resources.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using End = IsolateOutcome::End;

bool exists(pid_t process) { return ::kill(process, 0) == 0; }

// Foreign zombies may linger for a moment.
bool ends_soon(pid_t process) {
  for (int i = 0; i < 200 && exists(process); ++i) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string id, name, state;
    if (status >> id >> name >> state && state == "Z") return true;
    ::usleep(10000);
  }
  return !exists(process);
}

TEST(Isolate, GivesBackWhatTheChildReturned) {
  const IsolateOutcome outcome = run_isolated([] { return std::string("a\0b", 3); }, {});
  EXPECT_EQ(outcome.end, End::ok);
  EXPECT_EQ(outcome.result, std::string("a\0b", 3));
  EXPECT_GT(outcome.peak_rss_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(describe(outcome, {}), "");
  EXPECT_EQ(run_isolated([] { return std::string(); }, {}).end, End::ok) << "an empty result is one too";
}

TEST(Isolate, TakesResultsLargerThanThePipe) {
  const auto make = [] {
    std::string bytes(std::size_t{10} << 20, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 24);
    return bytes;
  };
  const IsolateOutcome outcome = run_isolated(make, {.timeout_s = 30});
  EXPECT_EQ(outcome.end, End::ok);
  EXPECT_TRUE(outcome.result == make());
}

TEST(Isolate, ReportsExceptionsExitsAndSignals) {
  IsolateOutcome outcome = run_isolated([]() -> std::string { throw std::runtime_error("it\nbroke"); }, {});
  EXPECT_EQ(outcome.end, End::threw);
  EXPECT_EQ(describe(outcome, {}), "it broke");
  outcome = run_isolated([]() -> std::string { throw 3; }, {});
  EXPECT_EQ(outcome.end, End::threw);
  outcome = run_isolated([]() -> std::string { ::_exit(7); }, {});
  EXPECT_EQ(outcome.end, End::exited);
  EXPECT_EQ(describe(outcome, {}), "exited with code 7 without a result");
  outcome = run_isolated([]() -> std::string { ::_exit(0); }, {});
  EXPECT_EQ(outcome.end, End::exited) << "exit code 0 without a result is no success";
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGTERM, SIGINT, SIGPIPE}) {
    outcome = run_isolated(
        [&]() -> std::string {
          ::signal(number, SIG_DFL);  // sanitizers have handlers of their own
          ::raise(number);
          return "";
        },
        {});
    EXPECT_EQ(outcome.end, End::signalled);
    EXPECT_EQ(outcome.code, number);
    EXPECT_THAT(describe(outcome, {}), HasSubstr(::strsignal(number)));
  }
}

TEST(Isolate, KillsWhatTakesTooLong) {
  const IsolateOptions options{.timeout_s = 0.2};
  const auto start = std::chrono::steady_clock::now();
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      options);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(outcome.end, End::timeout);
  EXPECT_EQ(describe(outcome, options), "killed after 0.2 s, its time limit");
  EXPECT_GE(wall_s, 0.2);
  EXPECT_LT(wall_s, 10);
}

TEST(Isolate, KillsWhatStopsItself) {
  EXPECT_EQ(run_isolated(
                []() -> std::string {
                  ::raise(SIGSTOP);
                  return "";
                },
                {.timeout_s = 0.2})
                .end,
            End::timeout);
}

std::string take_memory(std::size_t bytes) {
  std::string memory(bytes, 'x');
  std::this_thread::sleep_for(std::chrono::seconds(20));
  return std::to_string(memory[bytes / 2]);
}

TEST(Isolate, KillsWhatTakesTooMuchMemory) {
  IsolateOptions options{.timeout_s = 20};
  options.memory_limit_bytes = resident_bytes(::getpid()) + (std::uint64_t{200} << 20);
  const IsolateOutcome outcome = run_isolated([] { return take_memory(std::size_t{400} << 20); }, options);
  EXPECT_EQ(outcome.end, End::memory_limit);
  EXPECT_LT(outcome.wall_s, 10);
  EXPECT_GT(outcome.peak_rss_bytes, std::uint64_t{200} << 20);
  EXPECT_THAT(describe(outcome, options), HasSubstr("MiB of resident memory, its limit"));
}

TEST(Isolate, CountsTheMemoryOfTheChildsChildren) {
  IsolateOptions options{.timeout_s = 20};
  const std::uint64_t limit_bytes = 2 * resident_bytes(::getpid()) + (std::uint64_t{200} << 20);
  options.memory_limit_bytes = limit_bytes;
  const IsolateOutcome outcome = run_isolated(
      [limit_bytes]() -> std::string {
        if (::fork() == 0) {
          take_memory(limit_bytes);
          ::_exit(0);
        }
        std::this_thread::sleep_for(std::chrono::seconds(20));
        return "";
      },
      options);
  EXPECT_EQ(outcome.end, End::memory_limit);
}

// Six readers of one block of memory that their parent has written hold it once.
TEST(Isolate, CountsWhatProcessesShareOnce) {
  constexpr std::size_t kShared = std::size_t{200} << 20;
  const IsolateOptions options{.timeout_s = 20,
                               .memory_limit_bytes = resident_bytes(::getpid()) + 2 * kShared};
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        const std::string shared(kShared, 'x');
        for (int i = 0; i < 6; ++i)
          if (::fork() == 0) {
            bool good = true;
            for (std::size_t at = 0; at < shared.size(); at += 4096) good = good && shared[at] == 'x';
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            ::_exit(good ? 0 : 1);
          }
        int bad = 0;
        for (int status = 0; ::wait(&status) > 0;) bad += status != 0;
        return std::to_string(bad);
      },
      options);
  EXPECT_EQ(outcome.end, End::ok) << describe(outcome, options);
  EXPECT_EQ(outcome.result, "0");
  EXPECT_GE(outcome.peak_rss_bytes, kShared);
  EXPECT_LE(outcome.peak_rss_bytes, options.memory_limit_bytes);
}

// Each of them is below the limit; together they exceed it, and so does the reported sum.
TEST(Isolate, KillsProcessesThatTakeTooMuchMemoryTogether) {
  IsolateOptions options{.timeout_s = 20};
  options.memory_limit_bytes = resident_bytes(::getpid()) + (std::uint64_t{400} << 20);
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        for (int i = 0; i < 6; ++i)
          if (::fork() == 0) {
            take_memory(std::size_t{100} << 20);
            ::_exit(0);
          }
        return take_memory(1);
      },
      options);
  EXPECT_EQ(outcome.end, End::memory_limit);
  EXPECT_GT(outcome.peak_rss_bytes, options.memory_limit_bytes);
}

TEST(Isolate, KillsWhatTheChildLeavesBehind) {
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        const pid_t grandchild = ::fork();
        if (grandchild == 0)
          for (;;) ::pause();
        return std::to_string(grandchild);
      },
      {.timeout_s = 10});
  ASSERT_EQ(outcome.end, End::ok) << "a grandchild that holds the pipe does not hold up the result";
  EXPECT_LT(outcome.wall_s, 5);
  EXPECT_TRUE(ends_soon(std::stoi(outcome.result)));
}

TEST(Isolate, DiesWithItsParent) {
  // The middle process runs an isolated child that would live on, and is then killed itself.
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "pid";
  const pid_t middle = ::fork();
  if (middle == 0) {
    run_isolated(
        [&]() -> std::string {
          write_file(file, std::to_string(::getpid()));
          for (;;) ::pause();
        },
        {});
    ::_exit(0);
  }
  for (int i = 0; i < 500 && !std::filesystem::exists(file); ++i) ::usleep(10000);
  ASSERT_TRUE(std::filesystem::exists(file));
  const pid_t child = std::stoi(read_file(file));
  EXPECT_TRUE(exists(child));
  ::kill(middle, SIGKILL);
  int status = 0;
  ::waitpid(middle, &status, 0);
  EXPECT_TRUE(ends_soon(child));
}

TEST(Isolate, StopsWhenCancelled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      {.timeout_s = 20, .cancel_descriptor = ends[0]});
  EXPECT_EQ(outcome.end, End::cancelled);
  EXPECT_LT(outcome.wall_s, 5);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Isolate, ChildHasAFreshStart) {
  ::signal(SIGUSR1, [](int) {});
  sigset_t blocked, old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &old);
  const IsolateOutcome outcome = run_isolated(
      [] {
        std::string said;
        struct sigaction action {};
        ::sigaction(SIGUSR1, nullptr, &action);
        if (action.sa_handler != SIG_DFL) said += "handler ";
        sigset_t mask;
        ::sigprocmask(SIG_BLOCK, nullptr, &mask);
        if (sigismember(&mask, SIGTERM) == 1) said += "mask ";
        rlimit core{};
        ::getrlimit(RLIMIT_CORE, &core);
        if (core.rlim_cur != 0) said += "core ";
        if (::getpgrp() != ::getpid()) said += "group ";
        char byte = 0;
        if (::read(STDIN_FILENO, &byte, 1) != 0) said += "stdin ";
        return said;
      },
      {});
  ::sigprocmask(SIG_SETMASK, &old, nullptr);
  ::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(outcome.result, "");
  EXPECT_EQ(outcome.end, End::ok);
}

TEST(Isolate, OutputGoesToTheLogAndItsEndToTheOutcome) {
  const test::TemporaryFolder folder;
  const auto log = folder.path() / "bench.log";
  write_file(log, "before\n");
  std::printf("buffered by the parent\n");
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        std::cout << "to cout\n";
        std::printf("to stdout\n");
        std::cerr << "to cerr\n";
        throw std::runtime_error("x");
      },
      {.log_file = log});
  const std::string text = read_file(log);
  EXPECT_THAT(text, testing::StartsWith("before\n"));
  for (const char* part : {"to cout\n", "to stdout\n", "to cerr\n"}) EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, testing::Not(HasSubstr("buffered by the parent")));
  EXPECT_THAT(text, EndsWith(outcome.log_tail));
  EXPECT_THAT(outcome.log_tail, HasSubstr("to cerr"));
  EXPECT_THAT(outcome.log_tail, testing::Not(HasSubstr("before")));
}

TEST(Isolate, BoundsTheLogAndTheResult) {
  const test::TemporaryFolder folder;
  IsolateOptions options{.timeout_s = 20};
  options.log_file = folder.path() / "bench.log";
  options.log_limit_bytes = 1 << 20;
  EXPECT_EQ(run_isolated(
                []() -> std::string {
                  const std::string line(4096, 'x');
                  for (;;) std::cout << line << std::flush;
                },
                options)
                .end,
            End::log_limit);
  options.result_limit_bytes = 1 << 20;
  EXPECT_EQ(run_isolated([] { return std::string(std::size_t{8} << 20, 'x'); }, options).end,
            End::result_limit);
  EXPECT_EQ(run_isolated([] { return std::string(std::size_t{1} << 20, 'x'); }, options).end, End::ok);
}

TEST(Isolate, SaysWhenTheLogCannotBeWritten) {
  EXPECT_THAT(
      test::error_of(ErrorKind::io,
                     [] { run_isolated([] { return std::string(); }, {.log_file = "/nowhere/log"}); }),
      HasSubstr("/nowhere/log"));
  EXPECT_THAT(
      test::error_of(ErrorKind::usage, [] { run_isolated([] { return std::string(); }, {.timeout_s = -1}); }),
      HasSubstr("timeout_s"));
}

TEST(Isolate, RunsThreadsInTheChild) {
  const IsolateOutcome outcome = run_isolated(
      [] {
        int sum = 0;
        std::thread other([&] { sum = 42; });
        other.join();
        return std::to_string(sum);
      },
      {});
  EXPECT_EQ(outcome.result, "42");
}

TEST(Isolate, LeavesNoDescriptorAndNoZombieBehind) {
  const auto open_descriptors = [] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
  };
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {  // what other tests have left
  }
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 50; ++i) run_isolated([] { return std::string("x"); }, {});
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace aqbench
