#include "scenes/cloud/text_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/core/error_matcher.h"
#include "tests/scenes/cloud/joined_blocks.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// Lines of unlike length between comments and blank lines, with a byte order mark and no line break at the
// end.
std::string text_of(std::size_t points, bool normals) {
  std::string text = "\xef\xbb\xbf# made by a test\n";
  if (normals) text += "x,y,z,nx,ny,nz,intensity\r\n";
  for (std::size_t i = 0; i < points; ++i) {
    const std::string x = std::to_string(static_cast<double>(i * i % 997) / 7.0),
                      separator = normals ? "," : " ";
    text += x + separator + "-1e-3" + separator + std::to_string(i);
    if (normals) text += ",0,0," + x + ",9";
    text += i % 10 == 3 ? "\n\n# a comment, 1 2 3\n" : i % 7 == 0 ? "\r\n" : "\n";
  }
  text.pop_back();
  return text;
}

TEST(TextBlocks, HoldWhatIsReadWhole) {
  const TemporaryDirectory directory;
  for (const bool normals : {false, true}) {
    const std::string text = text_of(500, normals);
    const auto path = directory.file("cloud.csv", text);
    const PointCloud whole = read_text_points(text, path.string());
    ASSERT_EQ(whole.points_m.size(), 500U);
    for (const std::size_t part_bytes : {64u, 100u, 1000u, 1u << 20U}) {
      const auto blocks = open_text_blocks(path, 1, false, part_bytes);
      ASSERT_TRUE(blocks) << part_bytes;
      EXPECT_EQ(blocks->points(), 500U);
      EXPECT_EQ(blocks->has_normals(), normals);
      for (const std::size_t longest : {7u, 1000u}) {
        const PointCloud read = joined(*blocks, longest);
        EXPECT_TRUE(equal_bits(read.points_m, whole.points_m)) << part_bytes;
        EXPECT_TRUE(equal_bits(read.normals, whole.normals)) << part_bytes;
      }
    }
  }
}

TEST(TextBlocks, ShortFilesAreLeftToTheWholeReader) {
  const TemporaryDirectory directory;
  const auto path = directory.file("cloud.xyz", text_of(100, false));
  EXPECT_EQ(open_text_blocks(path, 1000, false), nullptr);
  EXPECT_EQ(open_text_blocks(directory.file("empty.xyz", ""), 1, false), nullptr);
}

TEST(TextBlocks, ErrorsNameTheLineAndNothingStays) {
  const TemporaryDirectory directory;
  const std::filesystem::path temporary = directory.path() / "tmp";
  std::filesystem::create_directory(temporary);
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ASSERT_EQ(::setenv("TMPDIR", temporary.c_str(), 1), 0);
  std::string text = "500\n";
  for (int i = 0; i < 500; ++i) text += i == 321 ? "1 2 x\n" : "1 2 3\n";
  const auto path = directory.file("cloud.pts", text);
  const auto error_of_blocks = [&](std::size_t part_bytes) {
    return error_of(ErrorKind::input, [&] { open_text_blocks(path, 1, true, part_bytes); });
  };
  EXPECT_EQ(error_of_blocks(64), path.string() + ": line 323: column 3: 'x' is not a number");
  text.replace(text.find('x'), 1, "3");
  directory.file("cloud.pts", text + "1 2 3\n");
  EXPECT_THAT(error_of_blocks(64), HasSubstr("the first line promises 500 points, but there are 501"));
  directory.file("cloud.pts", text + std::string(200, ' ') + "1 2 3\n");
  EXPECT_THAT(error_of_blocks(128), HasSubstr("line 501: more than 128 bytes without a line break"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace aqbench
