// Untrusted text files, and files that grow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "core/resources.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::EndsWith;

TEST(TextFile, ReadsWhatIsThere) {
  const TemporaryDirectory directory;
  const std::string long_text(std::size_t{1} << 19, 'x');
  for (const std::string& text : {std::string(), std::string("a\nb\n"), long_text})
    EXPECT_EQ(read_text_file(directory.file("a", text)), text);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(directory.file("a", "12345"), 4); }),
              EndsWith("/a: 5 bytes, more than the 4 allowed"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(directory / "no"); }),
              EndsWith(": no such file"));
}

TEST(TextFile, ASparseFileEndsAtItsFirstHole) {
  const TemporaryDirectory directory;
  const auto path = directory.file("log", "a line\n");
  std::filesystem::resize_file(path, std::uintmax_t{3} << 30);
  ASSERT_TRUE(reset_resident_peak());
  const std::int64_t before = resident_peak_bytes();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_text_file(path); }),
              EndsWith("/log: contains a zero byte, so it is not a text file"));
  EXPECT_LT(resident_peak_bytes(), before + (std::int64_t{64} << 20));
}

TEST(TextFile, ALogMayHoldZeroBytesAndHoles) {
  const TemporaryDirectory directory;
  const auto path = directory.file("log", std::string_view("a\0b\n\0c\n", 7));
  EXPECT_EQ(read_log_file(path), "ab\nc\n");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 29);
  ASSERT_TRUE(reset_resident_peak());
  const std::int64_t before = resident_peak_bytes();
  EXPECT_EQ(read_log_file(path), "ab\nc\n");
  EXPECT_LT(resident_peak_bytes(), before + (std::int64_t{64} << 20));
}

TEST(TextFile, ZeroBytesAtTheEndOfAJournalAreOne) {
  const TemporaryDirectory directory;
  const auto read = [&](const std::string& bytes) {
    return read_text_file(directory.file("a", bytes), 1 << 22, ZeroBytes::one_at_end);
  };
  EXPECT_EQ(read("a\nb"), "a\nb");
  EXPECT_EQ(read("a\n" + std::string(1 << 20, '\0')), std::string("a\n") + '\0');
  EXPECT_EQ(read(std::string(3, '\0')), std::string(1, '\0'));
  for (const std::size_t zeros : {std::size_t{1}, std::size_t{1} << 20})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { read("a" + std::string(zeros, '\0') + "b"); }),
                EndsWith("contains a zero byte, so it is not a text file"));
}

TEST(TextFile, AppendsAndFollowsNoPlantedLink) {
  const TemporaryDirectory directory;
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

}  // namespace
}  // namespace aqbench
