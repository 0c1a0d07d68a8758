#include "scenes/cloud/mesh_formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/cloud/cloud_file.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/cloud/joined_blocks.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// A binary file of 50 points whose coordinates have this type; between them lies an "rgb" of three values.
std::string binary_pcd(char type, std::size_t bytes, bool normals, const char* data = "binary") {
  std::string text = "# .PCD v0.7\nVERSION 0.7\nFIELDS x rgb y z", size, types, count;
  if (normals) text += " normal_x normal_y normal_z";
  for (int field = 0; field < (normals ? 7 : 4); ++field) {
    size += field == 1 ? " 1" : fmt::format(" {}", bytes);
    types += field == 1 ? " U" : fmt::format(" {}", type);
    count += field == 1 ? " 3" : " 1";
  }
  text += fmt::format("\nSIZE{}\nTYPE{}\nCOUNT{}\nWIDTH 50\nHEIGHT 1\nPOINTS 50\nDATA {}\n", size, types,
                      count, data);
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t field = 0; field < (normals ? 7U : 4U); ++field)
      for (std::size_t byte = 0; byte < (field == 1 ? 3 : bytes); ++byte)  // exponents of floats stay small
        text += static_cast<char>(byte + 1 == bytes ? 0x3f : 7 * i + 13 * field + 29 * byte);
  return text;
}

TEST(PcdBlocks, HoldWhatIsReadWhole) {
  const TemporaryDirectory directory;
  for (const auto& [type, bytes] : {std::pair{'F', 4U}, {'F', 8U}, {'I', 2U}, {'U', 4U}, {'I', 1U}})
    for (const bool normals : {false, true}) {
      const auto path = directory.file("c.pcd", binary_pcd(type, bytes, normals));
      const PointCloud whole = read_cloud_file(path).cloud;
      ASSERT_EQ(whole.points_m.size(), 50U);
      const auto blocks = open_cloud_blocks(path, 50);
      ASSERT_TRUE(blocks) << type << bytes;
      EXPECT_EQ(blocks->points(), 50U);
      EXPECT_EQ(blocks->has_normals(), normals);
      for (const std::size_t longest : {1u, 7u, 100u}) {
        const PointCloud read = joined(*blocks, longest);
        EXPECT_TRUE(equal_bits(read.points_m, whole.points_m)) << type << bytes << longest;
        EXPECT_TRUE(equal_bits(read.normals, whole.normals)) << type << bytes << longest;
      }
      EXPECT_EQ(open_pcd_blocks(path, 51), nullptr) << "fewer points";
    }
}

TEST(PcdBlocks, LeaveToTheWholeReaderWhatHasToBeReadWhole) {
  const TemporaryDirectory directory;
  for (const char* const data : {"ascii", "binary_compressed"})
    EXPECT_EQ(open_pcd_blocks(directory.file("c.pcd", binary_pcd('F', 4, false, data)), 1), nullptr) << data;
  EXPECT_EQ(open_pcd_blocks(directory.file("i.pcd", binary_pcd('I', 8, false)), 1), nullptr) << "8 bytes";
  EXPECT_EQ(open_pcd_blocks(directory.file("t.pcd", "1 2 3\n"), 1), nullptr) << "no PCD file";
}

TEST(Pcd, TheTwoWaysToSayHowManyPointsMustAgree) {
  const TemporaryDirectory directory;
  std::string text = binary_pcd('F', 4, false);
  text.replace(text.find("HEIGHT 1"), 8, "HEIGHT 2");
  const auto path = directory.file("c.pcd", text);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_cloud_file(path); }),
              HasSubstr("POINTS: 50, but WIDTH x HEIGHT is 100"));
}

TEST(PcdBlocks, RefuseWhatTheWholeReaderRefuses) {
  const TemporaryDirectory directory;
  const std::string whole = binary_pcd('F', 4, false);
  for (const std::string& bytes : {whole + "x", whole.substr(0, whole.size() - 1)}) {
    const auto path = directory.file("cut.pcd", bytes);
    const std::string refused = error_of(ErrorKind::input, [&] { read_cloud_file(path); });
    EXPECT_EQ(error_of(ErrorKind::input, [&] { open_pcd_blocks(path, 1); }), refused);
    EXPECT_THAT(refused, HasSubstr("cut.pcd"));
  }
}

}  // namespace
}  // namespace aqbench
