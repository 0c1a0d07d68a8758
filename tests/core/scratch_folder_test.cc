#include "core/scratch_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/files.h"
#include "core/processes/isolate.h"
#include "core/sandbox/sandbox.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// TMPDIR of this process, set for a while.
class ScopedTmpdir {
 public:
  explicit ScopedTmpdir(const fs::path& folder) {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~ScopedTmpdir() {
    if (before_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before_.c_str(), 1);
  }
  ScopedTmpdir(const ScopedTmpdir&) = delete;
  ScopedTmpdir& operator=(const ScopedTmpdir&) = delete;

 private:
  std::string before_;
};

// A process that has a scratch folder, and a child of it that lives on.
struct Owner {
  pid_t process = -1, child = -1;
  fs::path folder;
};

// In the owner: makes the folder with an image in it, says where, and waits to be killed.
[[noreturn]] void own_a_folder(int report) {
  const ScratchFolder scratch;
  fs::create_directories(scratch.path() / "images");
  write_file(scratch.path() / "images" / "cam00.png", std::string(1000, 'x'));
  const pid_t child = ::fork();
  if (child != 0 && write_all(report, std::to_string(child) + scratch.path().string()) != 0) ::_exit(1);
  ::close(report);
  for (;;) ::pause();
}

Owner start_owner() {
  std::array<int, 2> ends{};
  Owner owner;
  if (::pipe(ends.data()) != 0) return owner;
  owner.process = ::fork();
  if (owner.process == 0) own_a_folder(ends[1]);
  ::close(ends[1]);
  std::string said;
  std::array<char, 256> buffer{};
  for (ssize_t count = 0; (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    said.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  std::size_t digits = 0;
  if (!said.empty()) owner.child = std::stoi(said, &digits);
  owner.folder = said.substr(digits);
  return owner;
}

void kill_owner(const Owner& owner) {
  ::kill(owner.process, SIGKILL);
  ::waitpid(owner.process, nullptr, 0);
}

// Kills the child, which is not a child of this process, and waits until it is gone or a zombie.
void kill_child(const Owner& owner) {
  ::kill(owner.child, SIGKILL);
  for (int i = 0; i < 1000 && ::kill(owner.child, 0) == 0; ++i) {
    std::ifstream file(fs::path("/proc") / std::to_string(owner.child) / "stat");
    std::string stat;
    std::getline(file, stat);
    if (stat.find(") Z ") != stat.npos) return;
    ::usleep(5000);
  }
}

TEST(ScratchFolder, GoesAwayWithWhatIsInIt) {
  fs::path path;
  {
    const ScratchFolder folder;
    path = folder.path();
    write_file(path / "file", "x");
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, OfAKilledProcessIsRemovedLater) {
  const TemporaryDirectory directory;
  const ScopedTmpdir temporary(directory.path());
  const Owner owner = start_owner();
  ASSERT_GT(owner.child, 0);
  const fs::path image = owner.folder / "images" / "cam00.png";
  ASSERT_TRUE(fs::exists(image));
  EXPECT_EQ(remove_abandoned_scratch(directory.path()), 0) << "its owner lives";
  kill_owner(owner);
  EXPECT_EQ(remove_abandoned_scratch(directory.path()), 0) << "its owner's child lives";
  EXPECT_TRUE(fs::exists(image));
  kill_child(owner);
  EXPECT_TRUE(fs::exists(image));
  EXPECT_EQ(remove_abandoned_scratch(directory.path()), 1);
  EXPECT_FALSE(fs::exists(owner.folder));
}

TEST(RemoveAbandonedScratch, TakesNothingElse) {
  const TemporaryDirectory directory;
  const ScopedTmpdir temporary(directory.path());
  const fs::path foreign = directory / "kept";
  fs::create_directories(foreign);
  directory.file("kept/file", "x");
  const Owner owner = start_owner();
  kill_owner(owner);
  kill_child(owner);
  const fs::path dead = owner.folder;
  const std::string mark = read_file(dead / ".aqbench-scratch");
  fs::create_directory_symlink(foreign, dead / "link");              // removed, not followed
  fs::create_directory_symlink(dead, directory / "aqbench_link00");  // a link to a marked folder
  fs::create_directories(directory / "aqbench_nomark");
  fs::create_directories(directory / "aqbench_other0");
  directory.file("aqbench_other0/.aqbench-scratch", "something else");
  fs::create_directories(directory / "aqbench_linked");
  fs::create_symlink(dead / ".aqbench-scratch", directory / "aqbench_linked" / ".aqbench-scratch");
  fs::create_directories(directory / "aqbench_too_long");
  directory.file("aqbench_too_long/.aqbench-scratch", mark);
  directory.file("aqbench_a_file", mark);

  EXPECT_EQ(remove_abandoned_scratch(directory.path()), 1);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_EQ(read_file(foreign / "file"), "x");
  for (const char* stays : {"aqbench_nomark", "aqbench_other0", "aqbench_linked", "aqbench_too_long"})
    EXPECT_TRUE(fs::is_directory(directory / stays)) << stays;
  EXPECT_TRUE(fs::is_symlink(directory / "aqbench_link00"));
  EXPECT_TRUE(fs::exists(directory / "aqbench_a_file"));
  EXPECT_EQ(remove_abandoned_scratch(directory / "absent"), 0);
}

// Programs may close folders of their output to the user, who then cannot remove their content.
TEST(ScratchFolder, GoesAwayWithFoldersThatAreClosedToTheirOwner) {
  const TemporaryDirectory directory;
  const ScopedTmpdir tmpdir(directory.path());
  const auto use = [] {
    give_up_privileges({});  // the administrator's processes may open any folder
    const ScratchFolder scratch;
    fs::create_directories(scratch.path() / "output/closed/inside");
    write_file(scratch.path() / "output/closed/inside/file", "x");
    for (const char* folder : {"output/closed/inside", "output/closed", "output"})
      fs::permissions(scratch.path() / folder, fs::perms::none);
    return std::string("used");
  };
  ASSERT_EQ(run_isolated(use, {}).result, "used");
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

}  // namespace
}  // namespace aqbench
