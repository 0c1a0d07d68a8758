#include "scenes/cloud/ply_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The colours of an ASCII file whose vertices have these properties after x, y and z.
std::vector<Rgb> colours_of_file(const std::string& properties, std::initializer_list<const char*> values) {
  std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(values.size()) +
                     "\nproperty float x\nproperty float y\nproperty float z\n" + properties + "end_header\n";
  for (const char* const value : values) text += std::string("1 2 3 ") + value + "\n";
  const TemporaryDirectory folder;
  const PointCloud cloud = read_ply(folder.file("c.ply", text)).cloud;
  for (const Vec3& point : cloud.points_m) EXPECT_EQ(point, Vec3(1, 2, 3));
  return cloud.colours;
}

std::string three(const std::string& type) {
  return "property " + type + " red\nproperty " + type + " green\nproperty " + type + " blue\n";
}

TEST(PlyRead, TakesColoursOfBytes) {
  EXPECT_THAT(colours_of_file(three("uchar"), {"0 128 255", "7 8 9"}),
              ElementsAre(Rgb{0, 128, 255}, Rgb{7, 8, 9}));
  // In any order, with others in between.
  EXPECT_THAT(
      colours_of_file("property uchar blue\nproperty uchar alpha\nproperty uint8 red\nproperty uchar green\n",
                      {"3 255 1 2"}),
      ElementsAre(Rgb{1, 2, 3}));
  // The same bytes in a binary file.
  const TemporaryDirectory folder;
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty uchar x\nproperty uchar y\n"
      "property uchar z\n" +
      three("uchar") + "end_header\n";
  EXPECT_THAT(read_ply(folder.file("b.ply", header + "\1\2\3\4\5\6\7\7\7\xff\x80\1")).cloud.colours,
              ElementsAre(Rgb{4, 5, 6}, Rgb{255, 128, 1}));
}

TEST(PlyRead, TakesColoursOfSharesAndOfLevels) {
  // 0.5 of 255 is 127.5, which is rounded up; levels above 1 are of 255.
  EXPECT_THAT(colours_of_file(three("float"), {"0 0.5 1", "0.1 0 0"}),
              ElementsAre(Rgb{0, 128, 255}, Rgb{26, 0, 0}));
  EXPECT_THAT(colours_of_file(three("double"), {"0 0.5 1", "200 2.4 255"}),
              ElementsAre(Rgb{0, 1, 1}, Rgb{200, 2, 255}));
}

TEST(PlyRead, LeavesOutInvalidColours) {
  EXPECT_THAT(colours_of_file(three("float"), {"0 0 nan"}), IsEmpty());
  EXPECT_THAT(colours_of_file(three("float"), {"0 0 -0.5"}), IsEmpty());
  EXPECT_THAT(colours_of_file(three("float"), {"0 0 256"}), IsEmpty());
  EXPECT_THAT(colours_of_file(three("ushort"), {"0 0 65535"}), IsEmpty());
  EXPECT_THAT(colours_of_file("property uchar red\nproperty uchar green\n", {"1 2"}), IsEmpty());
  EXPECT_THAT(colours_of_file("property uchar red\nproperty uchar green\nproperty float blue\n", {"1 2 0.5"}),
              IsEmpty());
  EXPECT_THAT(colours_of_file("", {""}), IsEmpty());
}

}  // namespace
}  // namespace aqbench
