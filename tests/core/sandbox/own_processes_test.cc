// A PID namespace around sandboxed processes: its effect on outside processes, and how it ends.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <set>

#include "core/descriptor.h"
#include "core/processes/isolate.h"
#include "core/resources.h"
#include "core/sandbox/sandbox.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;
using End = IsolateOutcome::End;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct MeansOfNamespaces {
  const char* name;
  SandboxMeans means;
};

// Another process of this user, outside, which waits to be killed.
class Bystander {
 public:
  Bystander() {
    if ((process_ = ::fork()) != 0) return;
    ::setpgid(0, 0);
    for (;;) ::pause();
  }
  ~Bystander() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  pid_t process() const { return process_; }
  // Returns the letter of its state: "S" while it sleeps, "T" stopped, "Z" dead.
  std::string state() const {
    std::ifstream stat("/proc/" + std::to_string(process_) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;
    return state;
  }

 private:
  pid_t process_;
};

class OwnProcesses : public testing::TestWithParam<MeansOfNamespaces> {
 protected:
  // Sandboxes a child and runs `body` there; reports if no PID namespace is available.
  IsolateOutcome inside(const std::function<std::string()>& body, IsolateOptions options = {}) {
    if (options.timeout_s == 0) options.timeout_s = 60;
    if (!options.descriptors) options.descriptors = std::vector<int>{};
    Pipe how("pipe of a test");
    options.descriptors->push_back(how.write.get());
    IsolateOutcome outcome = run_isolated(
        [&] {
          AccessList access;
          add_system_access(access);
          access.writable.emplace_back("/proc/self");
          const std::string isolation = enter_sandbox(access, GetParam().means);
          [[maybe_unused]] const ssize_t written =
              ::write(how.write.get(), isolation.data(), isolation.size());
          ::close(how.write.get());
          // Outside a namespace it would affect other processes.
          return isolation.ends_with("own processes; network open") ? body() : std::string();
        },
        options);
    how.write.reset();
    std::string isolation(256, '\0');
    isolation.resize(static_cast<std::size_t>(
        std::max<ssize_t>(0, ::read(how.read.get(), isolation.data(), isolation.size()))));
    if (!isolation.ends_with("own processes; network open"))
      skipped_ = "this system grants only: " + isolation;
    return outcome;
  }

  std::string skipped_;
};

#define SKIP_WHERE_REFUSED() \
  if (!skipped_.empty()) GTEST_SKIP() << skipped_

// Tries what the kernel lets processes of one user do to each other. Returns what worked.
std::string changed(pid_t process, pid_t group) {
  std::string worked;
  const auto note = [&](const char* what, bool could) {
    if (could) worked += std::string(what) + " ";
  };
  const auto number = static_cast<id_t>(process);
  const rlimit few{16, 16};
  cpu_set_t one{};
  CPU_SET(0, &one);
  const sched_param none{};
  note("limit", ::prlimit(process, RLIMIT_NOFILE, &few, nullptr) == 0);
  note("priority", ::setpriority(PRIO_PROCESS, number, 19) == 0);
  note("priority of the group", ::setpriority(PRIO_PGRP, static_cast<id_t>(group), 19) == 0);
  note("processors", ::sched_setaffinity(process, sizeof one, &one) == 0);
  note("policy", ::sched_setscheduler(process, SCHED_IDLE, &none) == 0);
  note("signal", ::kill(process, 0) == 0);
  note("stop", ::kill(process, SIGSTOP) == 0);
  note("stop of the group", ::kill(-group, SIGSTOP) == 0);
  note("kill", ::kill(process, SIGKILL) == 0);
  return worked;
}

TEST_P(OwnProcesses, NothingChangesStopsOrKillsAProcessOutside) {
  const Bystander bystander;
  const pid_t test = ::getpid(), group = ::getpgrp();
  const OwnSettings before = own_settings();
  const IsolateOutcome outcome = inside([&] {
    std::string worked = changed(bystander.process(), bystander.process()) + changed(test, group);
    ::setpriority(PRIO_USER, 0, 19);
    ::setpriority(PRIO_PGRP, 0, 19);
    ::kill(0, SIGCONT);
    ::kill(-1, SIGKILL);
    if (::getppid() != 1) worked += "its parent is not process 1 ";
    ::kill(1, SIGKILL);
    ::kill(1, SIGSTOP);
    return worked + "alive";
  });
  SKIP_WHERE_REFUSED();
  ASSERT_EQ(outcome.end, End::ok) << describe(outcome, {});
  EXPECT_EQ(outcome.result, "alive");
  EXPECT_EQ(changed_settings(before, own_settings()), "");
  EXPECT_EQ(bystander.state(), "S");
  EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(bystander.process())),
            ::getpriority(PRIO_PROCESS, 0));
}

// Signals to the caller's group must not reach the outside process that waits.
TEST_P(OwnProcesses, ASignalToItsOwnGroupReachesNoOtherProcess) {
  const IsolateOutcome outcome = inside([] {
    ::signal(SIGTERM, SIG_IGN);
    ::kill(0, SIGTERM);
    return std::string("alive");
  });
  SKIP_WHERE_REFUSED();
  EXPECT_EQ(outcome.result, "alive") << describe(outcome, {});
}

TEST_P(OwnProcesses, ProcShowsThemAlone) {
  const IsolateOutcome outcome = inside([] {
    std::set<std::string> seen;
    for (const auto& entry : fs::directory_iterator("/proc"))
      if (const std::string name = entry.path().filename(); name.find_first_not_of("0123456789") == name.npos)
        seen.insert(name);
    const std::string self = std::to_string(::getpid());
    std::string problem;
    if (seen != std::set<std::string>{"1", self}) problem += "others are seen ";
    if (fs::read_symlink("/proc/self") != self) problem += "another one is self ";
    if (!fs::exists("/proc/self/task/" + std::to_string(::syscall(SYS_gettid)))) problem += "no thread ";
    const Descriptor own(::open("/proc/self/clear_refs", O_WRONLY));
    if (own.get() < 0 || ::write(own.get(), "5", 1) != 1) problem += "own counters are closed ";
    for (const char* closed : {"/proc/sys/kernel/hostname", "/proc/1/environ", "/proc/1/mem"})
      if (const Descriptor file(::open(closed, O_RDWR)); file.get() >= 0) problem += closed;
    char byte = 0;
    for (const char* closed : {"/proc/1/environ", "/proc/1/mem", "/proc/1/maps"})
      if (const Descriptor file(::open(closed, O_RDONLY)); ::read(file.get(), &byte, 1) > 0)
        problem += closed;
    if (::ptrace(PTRACE_SEIZE, 1, nullptr, nullptr) == 0) problem += "process 1 is traced ";
    std::error_code error;
    for (const char* link : {"/proc/1/root", "/proc/1/cwd", "/proc/1/exe"})
      if (!fs::read_symlink(link, error).empty()) problem += link;
    return problem;
  });
  SKIP_WHERE_REFUSED();
  ASSERT_EQ(outcome.end, End::ok) << describe(outcome, {});
  EXPECT_EQ(outcome.result, "");
}

// Forks twice and leads a session, as daemons do; kills its process 1 and its parent.
void start_daemon() {
  const pid_t parent = ::fork();
  if (parent != 0) {
    ::waitpid(parent, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  ::kill(1, SIGKILL);
  ::kill(::getppid(), SIGKILL);
  for (;;) ::pause();
}

TEST_P(OwnProcesses, ADaemonEndsWithThem) {
  Pipe alive("pipe of a test");
  const IsolateOutcome outcome = inside(
      [] {
        start_daemon();
        start_daemon();
        return std::string("done");
      },
      {.descriptors = {{alive.write.get()}}});
  alive.write.reset();
  SKIP_WHERE_REFUSED();
  EXPECT_EQ(outcome.result, "done") << describe(outcome, {});
  pollfd end{alive.read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 1) << "another process holds the other end";
}

TEST_P(OwnProcesses, EndsAsItsWorkerDoes) {
  const IsolateOutcome aborted = inside([]() -> std::string { std::abort(); });
  SKIP_WHERE_REFUSED();
  EXPECT_EQ(describe(aborted, {}), "died of signal 6 (Aborted)");
  EXPECT_EQ(describe(inside([] { return std::to_string(::raise(SIGSEGV)); }), {}),
            "died of signal 11 (Segmentation fault)");
  EXPECT_THAT(describe(inside([] { return std::to_string(::kill(::getpid(), SIGKILL)); }), {}),
              HasSubstr("signal 9 (Killed); the system may have run out of memory"));
  EXPECT_EQ(describe(inside([]() -> std::string { ::_exit(3); }), {}), "exited with code 3 without a result");
  EXPECT_EQ(describe(inside([]() -> std::string { throw std::runtime_error("no memory"); }), {}),
            "no memory");
  const IsolateOutcome large = inside([] { return std::string(4 * kMiB, 'x'); });
  EXPECT_EQ(large.result.size(), 4 * kMiB);
}

// Holds memory that it has written to.
std::string touched(std::uint64_t bytes) { return std::string(bytes, 'x'); }

TEST_P(OwnProcesses, LimitsHoldAndMemoryIsSeen) {
  constexpr std::uint64_t much = 200 * kMiB;
  const IsolateOutcome seen = inside([] { return std::string(1, touched(much).back()); });
  SKIP_WHERE_REFUSED();
  EXPECT_EQ(seen.result, "x");
  EXPECT_GE(seen.peak_rss_bytes, much);
  const auto hold = [] {
    const std::string held = touched(much);
    ::sleep(30);
    return held.substr(0, 1);
  };
  EXPECT_EQ(inside(hold, {.memory_limit_bytes = much / 2}).end, End::memory_limit);
  const IsolateOutcome late = inside(
      [] {
        start_daemon();
        ::sleep(30);
        return std::string();
      },
      {.timeout_s = 0.5});
  EXPECT_EQ(late.end, End::timeout);
  EXPECT_LT(late.wall_s, 5);
}

// The process outside and process 1 are forks of it: what all three share is counted once.
TEST_P(OwnProcesses, MemoryFromBeforeCountsOnce) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own memory is more than this";
#endif
  const std::string before = touched(200 * kMiB);
  // Trying whether it is granted takes a second copy.
  const std::uint64_t limit = resident_bytes(::getpid()) / 2 * 5;
  const IsolateOutcome outcome = inside(
      [&] {
        ::usleep(200'000);
        return before.substr(0, 1);
      },
      {.memory_limit_bytes = limit});
  SKIP_WHERE_REFUSED();
  EXPECT_EQ(outcome.result, "x") << describe(outcome, {});
}

// Its parent is killed: the one outside, process 1 and the worker die with it, and all are waited for.
TEST_P(OwnProcesses, NothingIsLeftOfThemWhenTheParentIsKilled) {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }  // of other tests
  Pipe alive("pipe of a test");
  const IsolateOutcome outcome = run_isolated(
      [&] {
        return inside([] { return std::to_string(::pause()); }, {.descriptors = {{alive.write.get()}}})
            .result;
      },
      {.timeout_s = 0.5});
  alive.write.reset();
  EXPECT_EQ(outcome.end, End::timeout);
  char byte = 0;
  EXPECT_EQ(::read(alive.read.get(), &byte, 1), 0);
  for (int i = 0; i < 100 && ::waitpid(-1, nullptr, WNOHANG) == 0; ++i) ::usleep(10'000);
  run_isolated([] { return std::string(); }, {});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "something is left";
}

INSTANTIATE_TEST_SUITE_P(Means, OwnProcesses,
                         testing::Values(MeansOfNamespaces{"namespace",
                                                           {.landlock = false, .namespaces = true}},
                                         MeansOfNamespaces{"both", {}}),
                         [](const auto& means) { return std::string(means.param.name); });

// Covers a part of /proc, as containers do; in a namespace of its own, so that nothing outside changes.
bool cover_part_of_proc() {
  const unsigned user = ::geteuid(), group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user << " " << user << " 1\n";
  std::ofstream("/proc/self/gid_map") << group << " " << group << " 1\n";
  return ::mount("/dev/null", "/proc/version", nullptr, MS_BIND, nullptr) == 0;
}

TEST(OwnProcessesRefused, FilesAreHiddenNeverthelessAndTheRecordSaysSo) {
  const TemporaryDirectory folder;
  folder.file("truth", "42 m");
  const Bystander bystander;
  const IsolateOutcome outcome = run_isolated(
      [&]() -> std::string {
        if (!cover_part_of_proc()) return "skip";
        AccessList access;
        add_system_access(access);
        const std::string how = enter_sandbox(access, {.landlock = false, .namespaces = true});
        std::string seen;
        if (std::ifstream(folder / "truth").good()) seen += "the truth ";
        if (::kill(bystander.process(), 0) == 0) seen += "processes ";
        return how + ": " + seen;
      },
      {.timeout_s = 60, .log_file = folder / "log"});
  ASSERT_EQ(outcome.end, End::ok) << describe(outcome, {});
  if (outcome.result == "skip" || outcome.result.starts_with("none")) GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(outcome.result, "namespace; network open: processes ");
  std::string why;
  std::ifstream log(folder / "log");
  std::getline(log, why);
  EXPECT_THAT(why, HasSubstr("isolation without own processes: mounting /proc"));
}

}  // namespace
}  // namespace aqbench
