// Untrusted text files, and files that grow.
// Where output goes: links, and names of new folders.
#include "core/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "core/resources.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct TextFile : testing::Test {
  const TemporaryDirectory directory;
};
using LinkTarget = TextFile;

TEST_F(TextFile, ReadsWhatIsThere) {
  const std::string long_text(std::size_t{1} << 19, 'x');
  for (const std::string& text : {std::string(), std::string("a\nb\n"), long_text})
    EXPECT_EQ(read_text_file(directory.file("a", text)), text);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(directory.file("a", "12345"), 4); }),
              EndsWith("/a: 5 bytes, more than the 4 allowed"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(directory / "no"); }),
              EndsWith(": no such file"));
}

TEST_F(TextFile, ASparseFileEndsAtItsFirstHole) {
  const auto path = directory.file("log", "a line\n");
  std::filesystem::resize_file(path, std::uintmax_t{3} << 30);
  ASSERT_TRUE(reset_resident_peak());
  const std::int64_t before = resident_peak_bytes();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(path); }),
              EndsWith("/log: contains a zero byte, so it is not a text file"));
  EXPECT_LT(resident_peak_bytes(), before + (std::int64_t{64} << 20));
}

TEST_F(TextFile, ALogMayHoldZeroBytesAndHoles) {
  const auto path = directory.file("log", std::string_view("a\0b\n\0c\n", 7));
  EXPECT_EQ(read_log_file(path), "ab\nc\n");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 29);
  ASSERT_TRUE(reset_resident_peak());
  const std::int64_t before = resident_peak_bytes();
  EXPECT_EQ(read_log_file(path), "ab\nc\n");
  EXPECT_LT(resident_peak_bytes(), before + (std::int64_t{64} << 20));
}

TEST_F(TextFile, ZeroBytesAtTheEndOfAJournalAreOne) {
  const auto read = [&](const std::string& bytes) {
    const ReadBytes next = bytes_of_file(directory.file("a", bytes), 1 << 22, ZeroBytes::one_at_end);
    std::string all;
    for (std::string_view piece = next(); !piece.empty(); piece = next()) all += piece;
    return all;
  };
  EXPECT_EQ(read("a\nb"), "a\nb");
  EXPECT_EQ(read("a\n" + std::string(1 << 20, '\0')), std::string("a\n") + '\0');
  EXPECT_EQ(read(std::string(3, '\0')), std::string(1, '\0'));
  const std::string late = std::string(600000, 'x') + std::string(400000, '\0');
  EXPECT_EQ(read(late), std::string(600000, 'x') + '\0');
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(directory.file("late", late)); }),
              EndsWith("contains a zero byte, so it is not a text file"));
  for (const std::size_t zeros : {std::size_t{1}, std::size_t{1} << 20})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { read("a" + std::string(zeros, '\0') + "b"); }),
                EndsWith("contains a zero byte, so it is not a text file"));
}

TEST_F(TextFile, AppendsAndFollowsNoPlantedLink) {
  append_to_file(directory / "log", "1\n");
  append_to_file(directory / "log", "2\n");
  EXPECT_EQ(read_file(directory / "log"), "1\n2\n");
  std::filesystem::create_symlink("log", directory / "link");
  append_to_file(directory / "link", "3\n");
  EXPECT_EQ(read_file(directory / "log"), "1\n2\n3\n");
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  EXPECT_THAT(error_of(ErrorKind::io, [&] { append_to_file(directory / "link", "4\n"); }),
              EndsWith("link in a world-writable folder"));
  EXPECT_EQ(read_file(directory / "log"), "1\n2\n3\n");
  EXPECT_EQ(error_of(ErrorKind::io, [] { append_to_file("/dev/full", "x"); }),
            "/dev/full: No space left on device");
}

constexpr uid_t kStranger = 65534;

TEST_F(LinkTarget, FollowsTheUsersOwnLinks) {
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

TEST_F(LinkTarget, RefusesAPlantedLinkAndWritesNothing) {
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

TEST_F(LinkTarget, InAGroupsFolderTheOwnerDecides) {
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

TEST_F(LinkTarget, RefusesAPlantedPipe) {
  ASSERT_EQ(::chmod(directory.path().c_str(), 01777), 0);
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0666), 0);
  EXPECT_EQ(link_target(directory / "pipe"), directory / "pipe");
  if (::chown((directory / "pipe").c_str(), kStranger, kStranger) != 0)
    GTEST_SKIP() << "only root can give a pipe to another user";
  EXPECT_THAT(error_of(ErrorKind::io, [&] { write_file(directory / "pipe", "new"); }),
              HasSubstr("another user's pipe"));
}

// Another user's link in place of a parent folder would redirect output.
TEST_F(LinkTarget, AFolderThatIsAnotherUsersLinkIsRefused) {
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
