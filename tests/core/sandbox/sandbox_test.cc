#include "core/sandbox/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/isolate.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

const SandboxMeans kLandlockOnly{.landlock = true, .namespaces = false};
const SandboxMeans kNamespacesOnly{.landlock = false, .namespaces = true};

struct NamedMeans {
  const char* name;
  SandboxMeans means;
};

// The secret in an outside process's memory that a spy looks for.
volatile char secret_in_memory[] = "the true depth";

class Sandboxed : public testing::TestWithParam<NamedMeans> {
 protected:
  Sandboxed() {
    for (const char* folder :
         {"hidden", "given", "out", "tmp", "given/deep", "given/open", "given/open/.git"})
      fs::create_directory(dir_ / folder);
    dir_.file("hidden/truth", "42 m");
    dir_.file("given/image", "pixels");
    dir_.file("given/deep/secret", "7 m");
    dir_.file("given/open/.git/HEAD", "ref");
    dir_.file("given/open/run.py", "import");
    fs::create_symlink(dir_ / "hidden/truth", dir_ / "given/link");
  }

  AccessList access() const {
    AccessList access;
    access.hidden = {dir_ / "given/deep/secret"};
    access.closed = {dir_ / "given/open/.git"};
    add_system_access(access);
    access.readable.push_back(dir_ / "given");
    close_files_of_root(access, {dir_ / "given"});
    access.writable.push_back(dir_ / "out");
    access.temporary = dir_ / "tmp";
    return access;
  }

  // Runs `body` in a sandbox and returns its result. Skips the test with the reason if the system does not
  // grant the means.
  std::string inside(const std::function<std::string()>& body, const std::vector<int>& kept = {}) {
    IsolateOptions options;
    options.timeout_s = 60;
    options.descriptors = kept;
    const IsolateOutcome outcome = run_isolated(
        [&] {
          const std::string how = enter_sandbox(access(), GetParam().means);
          return how.starts_with("none") ? how : "ok:" + body();
        },
        options);
    EXPECT_EQ(outcome.end, IsolateOutcome::End::ok) << describe(outcome, {});
    if (outcome.result.starts_with("ok:")) return outcome.result.substr(3);
    skipped_ = outcome.result;
    return {};
  }

  TemporaryDirectory dir_;
  std::string skipped_;
};

#define SKIP_WHERE_NOT_GRANTED() \
  if (!skipped_.empty()) GTEST_SKIP() << "this system grants no such isolation: " << skipped_

bool can_read(const fs::path& file) {
  char byte = 0;
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  const bool could = descriptor >= 0 && ::read(descriptor, &byte, 1) == 1;
  if (descriptor >= 0) ::close(descriptor);
  return could;
}

bool can_list(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator inside(folder, error);
  return !error && inside != fs::directory_iterator();
}

bool can_open_for_writing(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

// Tries everything a spy can do to a foreign file. Returns what worked.
std::string reached(const fs::path& file, const fs::path& own_folder) {
  std::string worked;
  const auto note = [&](const char* what, bool could) {
    if (could) worked += std::string(what) + " ";
  };
  note("read", can_read(file));
  note("write", can_open_for_writing(file));
  note("truncate", ::truncate(file.c_str(), 0) == 0);
  note("link", ::link(file.c_str(), (own_folder / "link").c_str()) == 0);
  note("rename", ::rename(file.c_str(), (own_folder / "taken").c_str()) == 0);
  note("replace", ::rename((own_folder / "mine").c_str(), file.c_str()) == 0);
  note("unlink", ::unlink(file.c_str()) == 0);
  note("make", ::open((file.string() + "2").c_str(), O_WRONLY | O_CREAT, 0600) >= 0);
  note("list", can_list(file.parent_path()));
  return worked;
}

TEST_P(Sandboxed, ReachesWhatIsAllowedAndNothingElse) {
  const std::string answer = inside([this] {
    std::ofstream(dir_ / "out/mine") << "mine";
    fs::create_directory(dir_ / "out/folder");
    fs::rename(dir_ / "out/mine", dir_ / "out/folder/mine");
    fs::rename(dir_ / "out/folder/mine", dir_ / "out/mine");
    std::string worked = can_read(dir_ / "given/image") && can_list("/usr") && can_read("/proc/self/stat") &&
                                 can_open_for_writing("/dev/null") && ::system("cat /dev/null") == 0
                             ? "all allowed; "
                             : "";
    worked += reached(dir_ / "hidden/truth", dir_ / "out");
    if (can_read(dir_ / "given/link")) worked += "through a link ";
    if (can_read(dir_ / "given/deep/secret")) worked += "hidden below what is allowed ";
    if (can_read(dir_ / "given/open/.git/HEAD")) worked += "closed below what is allowed ";
    if (can_read("/etc/shadow")) worked += "what users may not read ";
    if (!can_read("/etc/passwd") || !can_list("/etc")) worked += "not what users may read ";
    if (!can_read(dir_ / "given/open/run.py") || !can_list(dir_ / "given/open")) worked += "no project ";
    if (can_open_for_writing(dir_ / "given/image")) worked += "write what may be read ";
    fs::create_symlink(dir_ / "hidden/truth", dir_ / "out/own_link");
    if (can_read(dir_ / "out/own_link")) worked += "through an own link ";
    return worked;
  });
  SKIP_WHERE_NOT_GRANTED();
  EXPECT_EQ(answer, "all allowed; ");
  EXPECT_EQ(read_file(dir_ / "hidden/truth"), "42 m");
  EXPECT_EQ(read_file(dir_ / "given/image"), "pixels");
  EXPECT_EQ(read_file(dir_ / "out/mine"), "mine");
}

// Tries to inspect an outside process. Returns what worked.
std::string looked_into(pid_t process) {
  std::string worked;
  const fs::path folder = "/proc/" + std::to_string(process);
  for (const char* file : {"mem", "environ", "maps", "auxv", "stack"})
    if (can_read(folder / file)) worked += std::string(file) + " ";
  std::error_code error;
  for (const char* link : {"cwd", "root", "exe", "fd/0", "fd/1"})
    if (!fs::read_symlink(folder / link, error).empty()) worked += std::string(link) + " ";
  if (can_list(folder / "root")) worked += "root/ ";
  if (can_list(folder / "cwd")) worked += "cwd/ ";
  if (::ptrace(PTRACE_ATTACH, process, nullptr, nullptr) == 0) worked += "ptrace ";
  std::array<char, sizeof secret_in_memory> copy{};
  const iovec to{copy.data(), copy.size()}, from{const_cast<char*>(secret_in_memory), copy.size()};
  if (::process_vm_readv(process, &to, 1, &from, 1, 0) > 0) worked += "memory ";
  if (::process_vm_writev(process, &to, 1, &from, 1, 0) > 0) worked += "memory written ";
  return worked;
}

TEST_P(Sandboxed, CannotLookIntoTheProcessThatStartedIt) {
  // In a case the process with the truth is a sibling, not the parent; tries both.
  const pid_t test = ::getpid();
  ASSERT_THAT(looked_into(test), HasSubstr("environ"));
  const std::string answer = inside([test] { return looked_into(test) + looked_into(::getppid()); });
  SKIP_WHERE_NOT_GRANTED();
  EXPECT_EQ(answer, "");
}

TEST_P(Sandboxed, IsEndedWithTheProcessThatStartedIt) {
  Pipe alive("a pipe");
  const pid_t starter = ::fork();
  if (starter == 0) {
    inside(
        [] {
          ::pause();
          return std::string();
        },
        {alive.write.get()});
    ::_exit(0);
  }
  alive.write.reset();
  ::usleep(300'000);
  ::kill(starter, SIGKILL);
  ::waitpid(starter, nullptr, 0);
  char byte = 0;
  // The other end is closed everywhere.
  EXPECT_EQ(::read(alive.read.get(), &byte, 1), 0);
}

TEST_P(Sandboxed, AnInnerOneCannotLookIntoTheOuter) {
  const std::string answer = inside([this] {
    const fs::path own = dir_ / "out";
    std::ofstream(own / "log") << "of the outer one";
    AccessList narrow;
    add_system_access(narrow);
    const InnerSandbox inner(narrow, GetParam().means);
    const pid_t outer = ::getpid();
    const IsolateOutcome outcome = run_isolated(
        [&] {
          if (inner.enter() != 0) return std::string("refused");
          std::string worked = looked_into(outer);
          if (GetParam().means.landlock && can_read(own / "log")) worked += "log ";
          return worked;
        },
        {.timeout_s = 30});
    return outcome.end == IsolateOutcome::End::ok ? outcome.result : describe(outcome, {});
  });
  SKIP_WHERE_NOT_GRANTED();
  EXPECT_EQ(answer, "");
}

INSTANTIATE_TEST_SUITE_P(Means, Sandboxed,
                         testing::Values(NamedMeans{"landlock", kLandlockOnly},
                                         NamedMeans{"namespace", kNamespacesOnly}, NamedMeans{"both", {}}),
                         [](const auto& means) { return std::string(means.param.name); });

using NamespaceSandbox = Sandboxed;

TEST_P(NamespaceSandbox, NeitherModesNorTheFoldersForAllAreShared) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer runs a thread of its own: such a process gets no user namespace";
#endif
  const std::string mark = "/dev/shm/aqbench_sandbox_test_" + std::to_string(::getpid());
  std::ofstream(mark) << "of another user";
  const std::string answer = inside([&] {
    std::string worked;
    if (::chmod((dir_ / "hidden").c_str(), 0) == 0) worked += "chmod ";
    if (::chmod((dir_ / "given/image").c_str(), 0) == 0) worked += "chmod of what may be read ";
    if (can_read(mark)) worked += "shared memory ";
    std::ofstream("/tmp/mine") << "mine";
    std::ofstream(mark + "_mine") << "mine";
    if (!can_read(mark + "_mine")) worked += "no own shared memory ";
    return worked;
  });
  ::unlink(mark.c_str());
  SKIP_WHERE_NOT_GRANTED();
  EXPECT_EQ(answer, "");
  EXPECT_EQ(read_file(dir_ / "tmp/mine"), "mine");
  EXPECT_FALSE(fs::exists("/dev/shm/mine"));
}

INSTANTIATE_TEST_SUITE_P(Means, NamespaceSandbox,
                         testing::Values(NamedMeans{"namespace", kNamespacesOnly}, NamedMeans{"both", {}}),
                         [](const auto& means) { return std::string(means.param.name); });

TEST(Sandbox, LandlockKeepsSignalsIn) {
  if (landlock_abi() < 6) GTEST_SKIP() << "landlock ABI " << landlock_abi() << " lets signals out";
  const pid_t test = ::getpid();
  const IsolateOutcome outcome = run_isolated(
      [&] {
        enter_sandbox({}, kLandlockOnly);
        return std::string(::kill(test, 0) == 0 || ::kill(::getppid(), SIGCONT) == 0 ? "sent" : "kept in");
      },
      {.timeout_s = 30});
  EXPECT_EQ(outcome.result, "kept in");
}

TEST(Sandbox, SaysWhyThereIsNone) {
  const IsolateOutcome outcome = run_isolated(
      [] { return enter_sandbox({}, {.landlock = false, .namespaces = false, .why_none = "not here"}); },
      {.timeout_s = 30});
  EXPECT_EQ(outcome.result, "none: not here");
}

TEST(Sandbox, TheEnvironmentChoosesTheMeans) {
  ::setenv("AQBENCH_ISOLATION", "landlock", 1);
  EXPECT_FALSE(sandbox_means_from_environment().namespaces);
  ::setenv("AQBENCH_ISOLATION", "namespace", 1);
  EXPECT_FALSE(sandbox_means_from_environment().landlock);
  ::setenv("AQBENCH_ISOLATION", "off", 1);
  EXPECT_THAT(sandbox_means_from_environment().why_none, HasSubstr("AQBENCH_ISOLATION"));
  ::setenv("AQBENCH_ISOLATION", "of", 1);
  EXPECT_THAT(error_of(ErrorKind::usage, [] { sandbox_means_from_environment(); }),
              StartsWith("AQBENCH_ISOLATION: 'of'"));
  ::unsetenv("AQBENCH_ISOLATION");
  EXPECT_TRUE(sandbox_means_from_environment().landlock && sandbox_means_from_environment().namespaces);
}

}  // namespace
}  // namespace aqbench
