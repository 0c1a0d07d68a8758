#include "scenes/cloud/cloud_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/ply.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CloudFile : public testing::Test {
 protected:
  std::vector<Vec3> points(std::string_view name, std::string_view bytes) const {
    return read_cloud_file(directory_.file(name, bytes)).cloud.points_m;
  }
  std::string error(std::string_view name, std::string_view bytes) const {
    const auto path = directory_.file(name, bytes);
    const std::string message = error_of(ErrorKind::input, [&] { read_cloud_file(path); });
    const std::string prefix = directory_.path().string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  TemporaryDirectory directory_;
};

TEST_F(CloudFile, XyzWithEverySeparator) {
  const auto expected = ElementsAre(Vec3(0.1, -2, 1.178), Vec3(4, 5e-3, 6));
  EXPECT_THAT(points("a.xyz", "0.1 -2 1.178\n4 5e-3 6\n"), expected);
  EXPECT_THAT(points("a.txt", "  0.1\t-2 \t 1.178  \r\n4\t5e-3\t6"), expected);
  EXPECT_THAT(points("a.XYZ", "0.1,-2,1.178\n4 , 5e-3 , 6\n"), expected);
  EXPECT_THAT(points("a.pts", "0.1,\t-2, 1.178\n4 5e-3 6\n"), expected);
}

TEST_F(CloudFile, XyzPassesOverCommentsBlankLinesAndMoreColumns) {
  EXPECT_THAT(points("a.xyz", "\xef\xbb\xbf# x y z r\n//X Y Z R\n\n1 2 3 255\n   \n# end\n4 5 6 0\n"),
              ElementsAre(Vec3(1, 2, 3), Vec3(4, 5, 6)));
}

TEST_F(CloudFile, PtsMayStartWithItsCount) {
  EXPECT_THAT(points("a.pts", "2\n1 2 3 -1200 10 20 30\n4 5 6 7 8 9 10\n"),
              ElementsAre(Vec3(1, 2, 3), Vec3(4, 5, 6)));
  EXPECT_EQ(error("a.pts", "3\n1 2 3\n"), "a.pts: line 2: the first line promises 3 points, but there are 1");
  EXPECT_EQ(error("a.pts", "1\n1\n1 2 3\n"), "a.pts: line 2: 1 columns, not x y z");
  EXPECT_EQ(error("a.xyz", "2\n1 2 3\n4 5 6\n"), "a.xyz: line 1: 1 columns, not x y z");
}

TEST_F(CloudFile, EmptyIsEmpty) {
  for (const char* const name : {"a.xyz", "a.txt", "a.pts"}) {
    EXPECT_TRUE(points(name, "").empty());
    EXPECT_TRUE(points(name, "\n# nothing\n").empty());
  }
  EXPECT_TRUE(points("a.pts", "0\n").empty());
}

TEST_F(CloudFile, NotANumberAndInfinityAreValues) {
  const auto read = points("a.xyz", "nan 1 2\n1 -inf 3\n");
  EXPECT_TRUE(std::isnan(read[0].x()));
  EXPECT_TRUE(std::isinf(read[1].y()));
}

TEST_F(CloudFile, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error("a.xyz", "1 2 3\n1 2\n"), "a.xyz: line 2: 2 columns, not x y z");
  EXPECT_EQ(error("a.xyz", "1 2 3\n1 2 x\n"), "a.xyz: line 2: column 3: 'x' is not a number");
  EXPECT_EQ(error("a.xyz", "1 2 3 red\n"), "a.xyz: line 1: column 4: 'red' is not a number");
  EXPECT_EQ(error("a.xyz", "1 2 3 4\n1 2 3\n"), "a.xyz: line 2: 3 columns, but 4 on the lines before");
  EXPECT_EQ(error("a.xyz", "1,,3\n"), "a.xyz: line 1: column 2: '' is not a number");
  EXPECT_EQ(error("a.xyz", "1,2,3,\n"), "a.xyz: line 1: column 4: '' is not a number");
}

// "0,1 0,2 1,178" is one point with decimal commas, and must not become another.
TEST_F(CloudFile, DecimalCommasAreRefused) {
  EXPECT_EQ(error("a.xyz", "0,1 0,2 1,178\n"), "a.xyz: line 1: column 2: '1 0' is not a number");
}

TEST_F(CloudFile, PlyByExtensionAndByContent) {
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  for (const char* const name : {"a.ply", "a.PLY", "a.dat", "a.xyz", "a"}) {
    const Reconstruction read = read_cloud_file(directory_.file(name, ply));
    EXPECT_EQ(read.cloud.points_m.size(), 3u) << name;
    ASSERT_TRUE(read.mesh.has_value()) << name;
    EXPECT_EQ(read.mesh->triangles.size(), 1u) << name;
    EXPECT_TRUE(read.depth_maps.empty());
  }
  EXPECT_EQ(error("b.ply", "1 2 3\n"), "b.ply: line 1: not a PLY file (the first line must be 'ply')");
}

TEST_F(CloudFile, OtherFilesAreRefusedByName) {
  EXPECT_EQ(error("a.las", "v 1 2 3\n"),
            "a.las: not a supported format (PLY, OBJ, STL, OFF, PCD, NPY, or .xyz, .txt, .pts, .csv, .asc "
            "with x y z a line, or COLMAP's points3D.bin and .txt)");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_cloud_file(directory_ / "no.obj"); }),
              HasSubstr("no.obj: no such file"));
  ASSERT_EQ(::mkfifo((directory_ / "pipe.ply").c_str(), 0600), 0);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_cloud_file(directory_ / "pipe.ply"); }),
              HasSubstr("pipe.ply: not a regular file"));
}

// At 4.5e6 the neighbours of a number of 32 bits are 0.5 away: 2^22 is below, and it has 23 bits behind the
// first.
TEST(CoordinateSteps, AreThoseOfNumbersOf32Bits) {
  std::vector<Vec3> points_m;
  for (int i = 0; i < 100; ++i) points_m.emplace_back(500'000.125 + i * 0.03125, 4'500'000.5 - i, 12.25);
  points_m.emplace_back(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  const CoordinateSteps steps = coordinate_steps(SpanBlocks(points_m));
  EXPECT_EQ(steps.largest_m, 4'500'000.5);
  EXPECT_EQ(steps.float_step_m, 0.5);
  std::vector<Vec3> in_mm = points_m;
  for (Vec3& point : in_mm) point *= 1e-3;
  EXPECT_NEAR(coordinate_steps(SpanBlocks(in_mm), 1e-3).float_step_m, 0.5e-3, 1e-15)
      << "a file in millimetres";
  points_m[7].x() += 1e-4;
  EXPECT_EQ(coordinate_steps(SpanBlocks(points_m)).float_step_m, 0) << "numbers of 64 bits";
}

TEST(CoordinateSteps, WholeNumbersAreNotTakenForRoundedOnes) {
  const std::vector<Vec3> points_m = {{500'000, 4'500'000, 12}, {500'001, 4'500'003, 13}};
  EXPECT_EQ(coordinate_steps(SpanBlocks(points_m)).float_step_m, 0);
  EXPECT_EQ(coordinate_steps(SpanBlocks({})).largest_m, 0);
}

}  // namespace
}  // namespace aqbench
