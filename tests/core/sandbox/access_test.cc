// Allow-lists: what is hidden and closed is cut out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/sandbox/sandbox.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const ResolvedAccess& access, const fs::path& folder) {
  std::vector<std::string> names;
  for (const AccessEntry& entry : access.entries)
    names.push_back((entry.writable ? "w " : "r ") + entry.path.lexically_relative(folder).string());
  return names;
}

TEST(AccessList, CutsOutWhatIsHidden) {
  const TemporaryDirectory dir;
  const fs::path root = fs::canonical(dir.path());
  for (const char* folder : {"a", "a/b", "a/b/cache", "a/c", "a/c/d"}) fs::create_directory(root / folder);
  dir.file("a/b/file", "");
  fs::create_symlink("b/cache", root / "a/link");
  const AccessList access{.readable = {root / "a", root / "a/c/d", root / "nowhere", root / "a/b/cache"},
                          .writable = {root / "a/c/d"},
                          .hidden = {root / "a/b/cache", root / "nowhere"}};
  const ResolvedAccess resolved = resolve(access);
  EXPECT_THAT(names_in(resolved, root), testing::UnorderedElementsAre("w a/c/d", "r a/b/file", "r a/c"));
  ASSERT_EQ(resolved.links.size(), 1U);
  EXPECT_EQ(resolved.links[0].path, root / "a/link");
  EXPECT_EQ(resolved.links[0].target, "b/cache");
}

// A folder with something closed alone may be listed, also where rules for whole trees are all there is.
TEST(AccessList, CutsOutWhatIsClosedAndLetsItsNamesBeListed) {
  const TemporaryDirectory dir;
  const fs::path root = fs::canonical(dir.path());
  for (const char* folder : {"project", "project/.git", "project/src", "project/out", "project/out/bundle"})
    fs::create_directory(root / folder);
  dir.file("project/.git/HEAD", "");
  dir.file("project/run.py", "");
  AccessList access{.readable = {root / "project", root / "project/.git/HEAD"}, .writable = {}, .hidden = {}};
  access.closed = {root / "project/.git"};
  const ResolvedAccess closed = resolve(access);
  EXPECT_THAT(names_in(closed, root),
              testing::UnorderedElementsAre("r project/run.py", "r project/src", "r project/out"));
  EXPECT_THAT(closed.listable, testing::ElementsAre(root / "project"));
  EXPECT_EQ(closed.listable_by_rule, closed.listable);
  access.hidden = {root / "project/out/bundle"};
  EXPECT_TRUE(resolve(access).listable_by_rule.empty());
}

// Each name beside what is hidden takes a mount. More of them are refused, never left unprotected.
TEST(AccessList, MoreNamesBesideWhatIsHiddenThanTheLimitAreRefused) {
  const TemporaryDirectory dir;
  const fs::path root = fs::canonical(dir.path());
  dir.file("truth", "");
  for (std::size_t i = 0; i < kMaxNamesBesideHidden; ++i)
    fs::create_hard_link(root / "truth", root / ("n" + std::to_string(i)));
  AccessList access{.readable = {root}, .writable = {}, .hidden = {root / "truth"}};
  EXPECT_EQ(resolve(access).entries.size(), kMaxNamesBesideHidden);
  dir.file("one_more", "");
  EXPECT_EQ(
      error_of(ErrorKind::method, [&] { enter_sandbox(access, {}); }),
      root.string() + ": more than 20000 names lie beside what is hidden from methods there; move them");
  access.hidden.clear();
  EXPECT_EQ(resolve(access).entries.size(), 1U);
}

// Root owns the system's private files, which are protected from users alone.
TEST(AccessList, RootReadsNoMoreOfTheSystemThanAUser) {
  AccessList access;
  close_files_of_root(access, {});
  if (::geteuid() != 0) {
    EXPECT_TRUE(access.closed.empty());
    return;
  }
  EXPECT_THAT(access.closed, testing::Contains(fs::path("/etc/shadow")));
  EXPECT_THAT(access.closed, testing::Not(testing::Contains(fs::path("/etc/passwd"))));
  AccessList needing;
  close_files_of_root(needing, {"/etc/shadow"});
  EXPECT_THAT(needing.closed, testing::Not(testing::Contains(fs::path("/etc/shadow"))));
}

TEST(AccessList, AllOfAHiddenFolderIsHiddenAlsoWhenItIsNamedByALink) {
  const TemporaryDirectory dir;
  fs::create_directory(dir / "truth");
  dir.file("truth/depth", "");
  fs::create_symlink(dir / "truth", dir / "alias");
  const AccessList access{
      .readable = {dir / "alias/depth", dir / "alias"}, .writable = {}, .hidden = {dir / "alias"}};
  EXPECT_TRUE(resolve(access).entries.empty());
}

TEST(AccessList, LiesInComparesWholeNames) {
  EXPECT_TRUE(lies_in("/a/b/c", "/a/b"));
  EXPECT_TRUE(lies_in("/a/b", "/a/b"));
  EXPECT_TRUE(lies_in("/a/b", "/"));
  EXPECT_FALSE(lies_in("/a/bc", "/a/b"));
  EXPECT_FALSE(lies_in("/a", "/a/b"));
}

TEST(AccessList, SharedMemoryIsUnreachableIfItContainsSomethingHidden) {
  AccessList access;
  add_system_access(access);
  EXPECT_THAT(access.writable, testing::Contains(fs::path("/dev/shm")));
  AccessList hiding{.readable = {}, .writable = {}, .hidden = {"/dev/shm"}};
  add_system_access(hiding);
  EXPECT_THAT(hiding.writable, testing::Not(testing::Contains(fs::path("/dev/shm"))));
}

}  // namespace
}  // namespace aqbench
