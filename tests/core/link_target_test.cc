// Where output goes: links, and names of new folders.
#include "core/link_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "core/files.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr uid_t kStranger = 65534;

TEST(LinkTarget, FollowsTheUsersOwnLinks) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "in");
  std::filesystem::create_symlink("in/second", directory / "first");
  std::filesystem::create_symlink("../file", directory / "in/second");
  EXPECT_EQ(link_target(directory / "first").lexically_normal(), directory / "file") << "not there yet";
  directory.file("file", "x");
  EXPECT_EQ(link_target(directory / "first").lexically_normal(), directory / "file");
  EXPECT_EQ(link_target(directory / "file"), directory / "file");
  EXPECT_EQ(link_target("relative"), "relative");
  std::filesystem::create_symlink("b", directory / "a");
  std::filesystem::create_symlink("a", directory / "b");
  EXPECT_THAT(error_of(ErrorKind::io, [&] { link_target(directory / "a"); }), EndsWith("is a dangling link"));
}

TEST(LinkTarget, RefusesAPlantedLinkAndWritesNothing) {
  const TemporaryDirectory directory;
  const auto victim = directory.file("victim", "mine");
  std::filesystem::create_directory(directory / "shared");
  ASSERT_EQ(::chmod((directory / "shared").c_str(), 01777), 0);
  std::filesystem::create_symlink(victim, directory / "shared/junit.xml");
  EXPECT_EQ(
      error_of(ErrorKind::io, [&] { write_file(directory / "shared/junit.xml", "new"); }),
      (directory / "shared/junit.xml").string() + ": refusing to follow a link in a world-writable folder");
  EXPECT_EQ(read_file(victim), "mine");
  write_file(directory / "shared/other.xml", "new");
  EXPECT_EQ(read_file(directory / "shared/other.xml"), "new");
  // Also behind a link that may be followed.
  std::filesystem::create_symlink("shared/junit.xml", directory / "first");
  EXPECT_THAT(error_of(ErrorKind::io, [&] { write_file(directory / "first", "new"); }),
              HasSubstr("/shared/junit.xml: refusing to follow a link"));
  EXPECT_EQ(read_file(victim), "mine");
}

TEST(LinkTarget, InAGroupsFolderTheOwnerDecides) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "group");
  ASSERT_EQ(::chmod((directory / "group").c_str(), 0775), 0);
  std::filesystem::create_symlink("file", directory / "group/link");
  write_file(directory / "group/link", "mine");
  EXPECT_EQ(read_file(directory / "group/file"), "mine");
  if (::lchown((directory / "group/link").c_str(), kStranger, kStranger) != 0)
    GTEST_SKIP() << "only root can give a link to another user";
  EXPECT_THAT(error_of(ErrorKind::io, [&] { write_file(directory / "group/link", "new"); }),
              HasSubstr("another user's link"));
  EXPECT_EQ(read_file(directory / "group/file"), "mine");
}

TEST(LinkTarget, RefusesAPlantedPipe) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 01777), 0);
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0666), 0);
  EXPECT_EQ(link_target(directory / "pipe"), directory / "pipe");
  if (::chown((directory / "pipe").c_str(), kStranger, kStranger) != 0)
    GTEST_SKIP() << "only root can give a pipe to another user";
  EXPECT_THAT(error_of(ErrorKind::io, [&] { write_file(directory / "pipe", "new"); }),
              HasSubstr("another user's pipe"));
}

// Another user's link in place of a parent folder would redirect output.
TEST(LinkTarget, AFolderThatIsAnotherUsersLinkIsRefused) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "open/real/inner");
  std::filesystem::create_directory_symlink("real", directory / "open/link");
  if (::lchown((directory / "open/link").c_str(), kStranger, kStranger) != 0)
    GTEST_SKIP() << "only root can give a link to another user";
  const auto file = directory / "open/link/inner/file";
  write_file(file, "only the owner can write to the folder");
  for (const mode_t mode : {01777U, 0775U}) {
    ASSERT_EQ(::chmod((directory / "open").c_str(), mode), 0);
    for (const auto& write : {std::function<void()>([&] { write_file(file, "new"); }),
                              std::function<void()>([&] { append_to_file(file, "new"); }),
                              std::function<void()>([&] { make_folder_beside(file); })})
      EXPECT_THAT(
          error_of(ErrorKind::io, write),
          HasSubstr(
              "open/link: refusing to follow another user's link in a folder that others can write to"));
  }
  EXPECT_EQ(read_file(directory / "open/real/inner/file"), "only the owner can write to the folder");
}

TEST(MakeFolderBeside, MakesUnpredictableNames) {
  const TemporaryDirectory directory;
  const auto folder = make_folder_beside(directory / "new/out"),
             again = make_folder_beside(directory / "new/out");
  EXPECT_NE(folder, again);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_THAT(folder.string(), HasSubstr("/new/.out.partial-"));
  EXPECT_TRUE(is_folder_beside(folder, directory / "new/out"));
  EXPECT_FALSE(is_folder_beside(folder, directory / "new/ou"));
  EXPECT_FALSE(is_folder_beside(directory / "new/.out.partial-notes", directory / "new/out"));
  directory.file("file", "x");
  EXPECT_THAT(error_of(ErrorKind::io, [&] { make_folder_beside(directory / "file/out"); }),
              HasSubstr("/file: "));
}

}  // namespace
}  // namespace aqbench
