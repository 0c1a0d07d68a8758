#include "core/sandbox/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
