#include "scenes/cloud/text_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

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
      const auto blocks = open_text_blocks(path, 1, {}, part_bytes);
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

std::vector<Vec3> points_of(const std::string& text, const TextColumns& columns = {}) {
  return read_text_points(text, "a.txt", {.columns = columns}).points_m;
}

std::string problem_of(const std::string& text, const TextColumns& columns = {}) {
  return error_of(ErrorKind::input, [&] { points_of(text, columns); });
}

TEST(TextPoints, ColumnsNamedByACommentOrTheFirstLineAreTakenByTheirNames) {
  const auto expected = testing::ElementsAre(Vec3(1, 2, 3), Vec3(4, 5, 6), Vec3(7, 8, 9));
  EXPECT_THAT(points_of("# id x y z\n0 1 2 3\n1 4 5 6\n2 7 8 9\n"), expected);
  EXPECT_THAT(points_of("//Z Y X\n3 2 1\n6 5 4\n9 8 7\n"), expected);
  EXPECT_THAT(points_of("# a cloud\n# z, x, y\n3,1,2\n6,4,5\n9,7,8\n"), expected);
  EXPECT_THAT(points_of("y;z;X [m]\n2;3;1\n5;6;4\n8;9;7\n"), expected);
  EXPECT_THAT(points_of("# z y x of old\ny x z\n2 1 3\n5 4 6\n8 7 9\n"), expected)
      << "the line, not the comment";
  EXPECT_THAT(points_of("# x y z of 3 points\n1 2 3\n4 5 6\n7 8 9\n"), expected) << "a sentence";
  EXPECT_THAT(points_of("# Columns: z, y, x,\n3,2,1\n6,5,4\n9,8,7\n"), expected);
  EXPECT_THAT(points_of("# data format z y x\n3 2 1\n6 5 4\n9 8 7\n"), expected);
  for (const char* const names : {"# id x_m y_m z_m", "# id [-] x [m] y [m] z [m]", "# 1:id 2:x 3:y 4:z"})
    EXPECT_THAT(points_of(std::string(names) + "\n7 1 2 3\n7 4 5 6\n9 7 8 9\n"), expected) << names;
  EXPECT_THAT(problem_of("# id east north up\n7 1 2 3\n7 4 5 6\n9 7 8 9\n"),
              HasSubstr("a comment calls the first column an id"));
  const PointCloud coloured = read_text_points("# r g b nx ny nz x y z\n255 128 0 0 0 1 1 2 3\n", "a.txt");
  EXPECT_THAT(coloured.points_m, testing::ElementsAre(Vec3(1, 2, 3)));
  EXPECT_THAT(coloured.normals, testing::ElementsAre(Vec3(0, 0, 1)));
  EXPECT_THAT(coloured.colours, testing::ElementsAre(Rgb{255, 128, 0}));
  EXPECT_EQ(problem_of("# z y x\n1 2 3 4\n"),
            "a.txt: line 2: 4 columns, but a comment names 3, x, y and z not in front");
  EXPECT_EQ(problem_of("x y z x\n1 2 3 4\n"), "a.txt: line 1: two columns are called x");
}

TEST(TextPoints, AFirstColumnThatCountsIsRefusedUnlessColumnsAreSaid) {
  for (const int from : {0, 1, 1001}) {
    std::string text;
    for (int i = 0; i < 5; ++i) text += std::to_string(from + i) + " 0.1 0.2 " + std::to_string(i) + "\n";
    EXPECT_THAT(problem_of(text),
                HasSubstr("line 5: the first of 4 columns counts the points from " + std::to_string(from)));
    EXPECT_THAT(problem_of(text), HasSubstr("--columns 2,3,4"));
    EXPECT_EQ(points_of(text, {{1, 2, 3}})[4], Vec3(0.1, 0.2, 4));
    EXPECT_EQ(points_of(text, {{0, 1, 2}})[4], Vec3(from + 4, 0.1, 0.2)) << "it is x";
    EXPECT_EQ(points_of("id a b c\n" + text, {{1, 2, 3}})[4], Vec3(0.1, 0.2, 4))
        << "other names are passed over";
    EXPECT_EQ(points_of("x y z t\n" + text)[4], Vec3(from + 4, 0.1, 0.2)) << "its name says it";
    EXPECT_EQ(points_of(text + "9 0 0 0\n").size(), 6U) << "it does not count";
    EXPECT_EQ(problem_of(text, {{1, 2, 4}}), "a.txt: line 1: 4 columns: there is no column 5");
    // Blocks see the same.
    const TemporaryDirectory directory;
    const auto path = directory.file("a.txt", text);
    EXPECT_THAT(error_of(ErrorKind::input, [&] { open_text_blocks(path, 1, {}, 32); }),
                HasSubstr("counts the points"));
  }
  EXPECT_EQ(points_of("0 1 2\n1 1 2\n2 1 2\n").size(), 3U) << "three columns are x, y and z";
}

TEST(TextPoints, LinesOfColmapAreNotTakenForPoints) {
  const std::string lines =
      "17 0.1 0.2 1.1 9 8 7 0.5 1 3\n4 0.3 0.2 1.1 9 8 7 0.5 2 5\n99 0.2 0.2 1.1 1 8 7 0.25 1 0\n";
  EXPECT_THAT(problem_of(lines), HasSubstr("look like those of COLMAP's points3D.txt"));
  EXPECT_EQ(points_of(lines, {{1, 2, 3}})[1], Vec3(0.3, 0.2, 1.1));
}

TEST(TextBlocks, ShortFilesAreLeftToTheWholeReader) {
  const TemporaryDirectory directory;
  const auto path = directory.file("cloud.xyz", text_of(100, false));
  EXPECT_EQ(open_text_blocks(path, 1000, {}), nullptr);
  EXPECT_EQ(open_text_blocks(directory.file("empty.xyz", ""), 1, {}), nullptr);
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
    return error_of(ErrorKind::input,
                    [&] { open_text_blocks(path, 1, {.count_allowed = true}, part_bytes); });
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
