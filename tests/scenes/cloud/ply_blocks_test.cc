#include "scenes/cloud/ply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/cloud/joined_blocks.h"
#include "tests/scenes/cloud/ply_forms.h"
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

PointCloud numbered_cloud(bool with_normals) {
  PointCloud cloud;
  for (int i = 0; i < 100; ++i) {
    cloud.points_m.emplace_back(0.1 * i, 1.0 / (i + 1), -i);
    if (with_normals) cloud.normals.push_back(Vec3(0.01 * i, 0.3, -1).normalized());
  }
  cloud.points_m[17].y() = std::numeric_limits<double>::infinity();
  return cloud;
}

// A vertex of x, y, z and what a header puts around them, then one of another element.
std::string ply_with_more(int points) {
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement sensor 1\nproperty uchar id\nelement vertex " +
      std::to_string(points) +
      "\nproperty uchar red\nproperty double x\nproperty short y\nproperty float z\n"
      "property int label\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n";
  const auto put = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  put(std::uint8_t{9});
  for (int i = 0; i < points; ++i) {
    put(std::uint8_t{7});
    put(0.1 * i);
    put(static_cast<std::int16_t>(-i));
    put(0.3F * static_cast<float>(i));
    put(std::int32_t{i});
  }
  return bytes;
}

TEST(PlyBlocks, HoldWhatIsReadWhole) {
  const TemporaryDirectory directory;
  for (const bool with_normals : {false, true})
    for (const bool double_precision : {false, true})
      for (const PlyFormat format : {PlyFormat::binary_little_endian, PlyFormat::binary_big_endian}) {
        const auto path =
            directory.file("c.ply", ply_bytes({format, double_precision}, numbered_cloud(with_normals)));
        const PointCloud whole = read_ply(path).cloud;
        const auto blocks = open_ply_blocks(path, 100);
        ASSERT_TRUE(blocks);
        EXPECT_EQ(blocks->points(), 100u);
        EXPECT_EQ(blocks->has_normals(), with_normals);
        for (const std::size_t longest : {1u, 33u, 100u, 1000u}) {
          const PointCloud read = joined(*blocks, longest);
          EXPECT_TRUE(equal_bits(read.points_m, whole.points_m)) << longest;
          EXPECT_TRUE(equal_bits(read.normals, whole.normals)) << longest;
        }
      }
}

TEST(PlyBlocks, SkipOtherPropertiesAndElements) {
  const TemporaryDirectory directory;
  const auto path = directory.file("m.ply", ply_with_more(50));
  const auto blocks = open_ply_blocks(path, 1);
  ASSERT_TRUE(blocks);
  EXPECT_TRUE(equal_bits(joined(*blocks, 7).points_m, read_ply(path).cloud.points_m));
}

TEST(PlyBlocks, AreMovedAsCloudsInMemoryAre) {
  const TemporaryDirectory directory;
  const auto path = directory.file("c.ply", ply_cloud_bytes(numbered_cloud(true)));
  Eigen::Matrix4d turn, scaling = Eigen::Matrix4d::Identity();
  turn << 0, -1, 0, 0.1, 1, 0, 0, 0.2, 0, 0, 1, -0.3, 0, 0, 0, 1;
  scaling.topLeftCorner<3, 3>() *= 0.001;
  const Similarity a = similarity_from_matrix(turn, "turn"), b = similarity_from_matrix(scaling, "scaling");
  PointCloud whole = read_ply(path).cloud;
  apply(a, whole);
  apply(b, whole);
  const PointCloud read = joined(*moved_blocks(open_ply_blocks(path, 1), {a, b}), 9);
  EXPECT_TRUE(equal_bits(read.normals, whole.normals));
  ASSERT_EQ(read.points_m.size(), 100u);
  EXPECT_EQ(read.points_m[50], whole.points_m[50]);
  EXPECT_EQ(read.points_m[99], whole.points_m[99]);
}

TEST(PlyBlocks, LeaveToTheWholeReaderWhatHasToBeReadWhole) {
  const TemporaryDirectory directory;
  const std::string bytes = ply_with_more(50);
  const auto opens = [&](const std::string& content, std::uint64_t at_least) {
    return open_ply_blocks(directory.file("f.ply", content), at_least) != nullptr;
  };
  EXPECT_TRUE(opens(bytes, 50));
  EXPECT_FALSE(opens(bytes, 51)) << "fewer points";
  EXPECT_FALSE(opens(bytes.substr(0, bytes.size() - 1), 1)) << "cut short";
  EXPECT_FALSE(opens(bytes + "x", 1)) << "bytes at the end";
  EXPECT_FALSE(opens(ply_bytes({PlyFormat::ascii}, numbered_cloud(false)), 101));
  EXPECT_FALSE(opens("1 2 3\n", 1)) << "no PLY file";
  std::string without_x = bytes;
  without_x.replace(without_x.find("double x"), 8, "double q");
  EXPECT_FALSE(opens(without_x, 1));
  const auto mesh = directory.file("mesh.ply", "");
  write_ply_mesh(mesh, {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  EXPECT_EQ(open_ply_blocks(mesh, 1), nullptr) << "faces";
  EXPECT_FALSE(opens(ply_cloud_bytes({}), 0)) << "no points";
}

// A text with blank lines, a property more, and line ends of another system.
std::string text_with_more(int points, const std::string& line_end) {
  std::string text = "ply\nformat ascii 1.0\ncomment c\nelement vertex " + std::to_string(points) +
                     "\nproperty uchar red\nproperty float z\nproperty double x\nproperty float y\n"
                     "element face 0\nproperty list uchar int vertex_indices\nend_header\n";
  for (int i = 0; i < points; ++i)
    text += std::to_string(i) + " 0.1 " + std::to_string(i) + ".25 -3e-1 \n" + (i % 7 == 0 ? " \n\n" : "");
  std::string other;
  for (const char character : text) character == '\n' ? other += line_end : other += character;
  return other;
}

TEST(PlyBlocks, OfTextsHoldWhatIsReadWhole) {
  const TemporaryDirectory directory;
  std::vector<std::string> texts;
  for (const bool normals : {false, true})
    texts.push_back(ply_bytes({PlyFormat::ascii}, numbered_cloud(normals)));
  for (const char* const line_end : {"\n", "\r\n", "\r"}) texts.push_back(text_with_more(100, line_end));
  texts.push_back(texts.back().substr(0, texts.back().size() - 2));  // no line break at the end
  for (const std::string& text : texts) {
    const auto path = directory.file("c.ply", text);
    const PointCloud whole = read_ply(path).cloud;
    for (const std::size_t part_bytes : {200u, 777u, 1u << 20U}) {
      const auto blocks = open_ply_blocks(path, 100, part_bytes);
      ASSERT_TRUE(blocks) << text.substr(0, 200);
      const PointCloud read = joined(*blocks, 33);
      EXPECT_EQ(read.points_m.size(), 100u);
      EXPECT_TRUE(equal_bits(read.points_m, whole.points_m)) << part_bytes;
      EXPECT_TRUE(equal_bits(read.normals, whole.normals)) << part_bytes;
    }
  }
}

TEST(PlyBlocks, OfTextsFailAsTheWholeReaderDoes) {
  const TemporaryDirectory directory;
  const std::string text = text_with_more(100, "\n");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  for (const std::string& damaged :
       {changed("50.25", "5o.25"), changed("\n60 ", "\n600 "), changed(" 70.25", ""),
        changed(" 71.25 ", " 71.25 1 "), text + "1 2 3 4\n", text.substr(0, text.size() - 60),
        changed("vertex 100", "vertex 99")}) {
    const auto path = directory.file("c.ply", damaged);
    const std::string whole = error_of(ErrorKind::input, [&] { read_ply(path); });
    EXPECT_EQ(error_of(ErrorKind::input, [&] { open_ply_blocks(path, 1, 100); }), whole);
  }
  const auto path = directory.file("c.ply", changed("10.25", std::string(300, ' ') + "10.25"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { open_ply_blocks(path, 1, 200); }),
              ::testing::EndsWith(": more than 200 bytes without a line break"));
}

TEST(PlyBlocks, SayThatTheFileBecameShorter) {
  const TemporaryDirectory directory;
  const auto path = directory.file("s.ply", ply_with_more(50));
  const auto blocks = open_ply_blocks(path, 1);
  std::filesystem::resize_file(path, 500);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { blocks->read(100, [](const CloudBlock&) {}); }),
            path.string() + ": the file shrank while it was read");
}

// One pass more would see another cloud.
TEST(PlyBlocks, SayThatTheFileWasWrittenAgain) {
  const TemporaryDirectory directory;
  const auto path = directory.file("s.ply", ply_with_more(50));
  const auto blocks = open_ply_blocks(path, 1);
  EXPECT_EQ(joined(*blocks, 20).points_m.size(), 50U);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(2));
  EXPECT_EQ(error_of(ErrorKind::input, [&] { blocks->read(100, [](const CloudBlock&) {}); }),
            path.string() + ": the file changed while it was read");
}

}  // namespace
}  // namespace aqbench
