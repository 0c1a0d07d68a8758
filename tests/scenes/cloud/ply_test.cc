#include "scenes/cloud/ply.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/files.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/triangles/faces.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/cloud/ply_forms.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Ply : public testing::Test {
 protected:
  GeometryFile read(std::string_view bytes) const { return read_ply(directory_.file("f.ply", bytes)); }

  // The error message without the directory.
  std::string error(std::string_view bytes) const {
    const auto path = directory_.file("f.ply", bytes);
    const std::string message = error_of(ErrorKind::input, [&] { read_ply(path); });
    const std::string name = path.string() + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }

  TemporaryDirectory directory_;
};

std::string ascii_header(const std::string& rest) {
  return "ply\nformat ascii 1.0\n" + rest + "end_header\n";
}

const std::string xyz = "property float x\nproperty float y\nproperty float z\n";

PointCloud full_cloud() {
  PointCloud cloud;
  cloud.points_m = {{0.1, -2e-9, 1.178}, {1e30, 1.0 / 3, -0.0}, {5, 6, 7}};
  cloud.normals = {{0, 0, -1}, {0.6, 0, 0.8}, {0, 1, 0}};
  cloud.confidence = {0.0f, 0.25f, 1.0f};
  cloud.colours = {{255, 0, 1}, {0, 128, 7}, {9, 10, 13}};
  return cloud;
}

double as_written(double value, bool double_precision) {
  return double_precision ? value : static_cast<double>(static_cast<float>(value));
}

TEST_F(Ply, CloudRoundTripInEveryFormatIsExact) {
  const PointCloud cloud = full_cloud();
  EXPECT_EQ(ply_cloud_bytes(cloud), ply_bytes({}, cloud));
  for (const PlyFormat format :
       {PlyFormat::ascii, PlyFormat::binary_little_endian, PlyFormat::binary_big_endian})
    for (const bool double_precision : {true, false}) {
      const auto path = directory_ / "cloud.ply";
      write_file(path, ply_bytes({format, double_precision}, cloud));
      const PointCloud back = read_ply(path).cloud;
      ASSERT_EQ(back.points_m.size(), 3u);
      ASSERT_EQ(back.normals.size(), 3u);
      EXPECT_EQ(back.confidence, cloud.confidence);
      EXPECT_EQ(back.colours, cloud.colours);
      for (std::size_t i = 0; i < 3; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double expected = as_written(cloud.points_m[i][axis], double_precision);
          EXPECT_EQ(back.points_m[i][axis], expected);
          EXPECT_EQ(std::signbit(back.points_m[i][axis]), std::signbit(expected));
          EXPECT_NEAR(back.normals[i][axis], cloud.normals[i][axis], double_precision ? 0 : 1e-7);
        }
      for (const Vec3& normal : back.normals) EXPECT_NEAR(normal.norm(), 1, 1e-15);
    }
}

TEST_F(Ply, OptionalArraysStayAbsent) {
  PointCloud cloud;
  cloud.points_m = {{1, 2, 3}};
  write_ply_cloud(directory_ / "c.ply", cloud);
  const GeometryFile file = read_ply(directory_ / "c.ply");
  EXPECT_TRUE(file.cloud.normals.empty());
  EXPECT_TRUE(file.cloud.confidence.empty());
  EXPECT_FALSE(file.mesh.has_value());
}

TEST_F(Ply, MeshRoundTripInEveryFormatIsExact) {
  TriangleMesh mesh;
  mesh.vertices_m = {{0, 0, 1.178}, {0.005, 0, 1.178}, {0, 0.005, 1.179}, {0.005, 0.005, 1.1785}};
  mesh.triangles = {{0, 1, 2}, {1, 3, 2}};
  write_ply_mesh(directory_ / "m.ply", mesh);
  EXPECT_EQ(read_file(directory_ / "m.ply"), ply_bytes({}, {mesh.vertices_m, {}, {}}, mesh));
  for (const PlyFormat format :
       {PlyFormat::ascii, PlyFormat::binary_little_endian, PlyFormat::binary_big_endian})
    for (const bool double_precision : {true, false}) {
      write_file(directory_ / "m.ply",
                 ply_bytes({format, double_precision}, {mesh.vertices_m, {}, {}}, mesh));
      const TriangleMesh back = read_mesh_file(directory_ / "m.ply");
      EXPECT_EQ(back.triangles, mesh.triangles);
      ASSERT_EQ(back.vertices_m.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis)
          EXPECT_EQ(back.vertices_m[i][axis], as_written(mesh.vertices_m[i][axis], double_precision));
    }
}

TEST_F(Ply, EmptyCloudIsReadAsEmpty) {
  write_ply_cloud(directory_ / "c.ply", {});
  EXPECT_TRUE(read_ply(directory_ / "c.ply").cloud.points_m.empty());
}

// Bytes put down by hand: 1.0f is 3f800000, 2.0 is 4000000000000000, 258 is 0102.
TEST_F(Ply, BinaryBytesOfBothEndians) {
  const std::string header =
      "element vertex 1\nproperty float x\nproperty double y\nproperty short z\nend_header\n";
  const std::string big("\x3f\x80\0\0\x40\0\0\0\0\0\0\0\x01\x02", 14);
  const std::string little("\0\0\x80\x3f\0\0\0\0\0\0\0\x40\x02\x01", 14);
  for (const bool is_big : {true, false}) {
    const GeometryFile file =
        read(fmt::format("ply\nformat {} 1.0\n{}{}", is_big ? "binary_big_endian" : "binary_little_endian",
                         header, is_big ? big : little));
    ASSERT_EQ(file.cloud.points_m.size(), 1u);
    EXPECT_EQ(file.cloud.points_m[0], Vec3(1, 2, 258));
  }
}

TEST_F(Ply, EveryScalarTypeAndItsAlias) {
  const std::string names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                  {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                  {"float", "float32"}, {"double", "float64"}};
  for (const auto& pair : names)
    for (const std::string& name : pair) {
      const GeometryFile file =
          read(ascii_header(fmt::format("element vertex 1\nproperty {0} x\nproperty {0} y\n"
                                        "property {0} z\n",
                                        name)) +
               "1 2 127\n");
      EXPECT_EQ(file.cloud.points_m[0], Vec3(1, 2, 127)) << name;
    }
}

TEST_F(Ply, SkipsUnknownElements) {
  const std::string text =
      "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info x\r\n"
      "element camera 1\r\nproperty float fx\r\nproperty list uchar int ids\r\n"
      "element vertex 2\r\nproperty uchar red\r\nproperty double z\r\nproperty list int float weights\r\n"
      "property double x\r\nproperty double y\r\nproperty float quality\r\ncomment in between\r\n"
      "element edge 1\r\nproperty int a\r\nproperty int b\r\nend_header\r\n"
      "500.5 3 7 8 9\r\n"
      "255 1.5 2 0.5 0.5 0.25 -4 0.75\r\n\r\n"
      "\t0  2.5 0   1 +2 1  \r\n"
      "0 1";
  const GeometryFile file = read(text);
  EXPECT_THAT(file.cloud.points_m, ElementsAre(Vec3(0.25, -4, 1.5), Vec3(1, 2, 2.5)));
  EXPECT_THAT(file.cloud.confidence, ElementsAre(0.75f, 1.0f));
  EXPECT_FALSE(file.mesh.has_value());
}

TEST_F(Ply, OldMacLineEnds) {
  std::string text = ascii_header("element vertex 2\n" + xyz) + "1 2 3\n4 5 6\n";
  std::ranges::replace(text, '\n', '\r');
  EXPECT_THAT(read(text).cloud.points_m, ElementsAre(Vec3(1, 2, 3), Vec3(4, 5, 6)));
}

TEST_F(Ply, FacesMayComeFirstAndConvexPolygonsBecomeFans) {
  const GeometryFile file = read(ascii_header("element face 2\nproperty uchar flags\n"
                                              "property list uchar uint vertex_index\nelement vertex 5\n" +
                                              xyz) +
                                 "0 5 4 3 2 1 0\n9 3 0 1 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n-1 0.5 0\n");
  ASSERT_TRUE(file.mesh.has_value());
  EXPECT_THAT(file.mesh->triangles,
              ElementsAre(Triangle{4, 3, 2}, Triangle{4, 2, 1}, Triangle{4, 1, 0}, Triangle{0, 1, 2}));
  EXPECT_EQ(file.mesh->vertices_m, file.cloud.points_m);
}

TEST_F(Ply, NotANumberAndInfinityAreValues) {
  const GeometryFile file =
      read(ascii_header("element vertex 2\n" + xyz) + "nan NaN -nan\ninf -Infinity INF\n");
  for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(std::isnan(file.cloud.points_m[0][axis]));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(file.cloud.points_m[1], Vec3(infinity, -infinity, infinity));
}

TEST_F(Ply, NormalsBecomeUnitLengthOrNotANumber) {
  const GeometryFile file = read(
      ascii_header("element vertex 3\n" + xyz + "property float nx\nproperty float ny\nproperty float nz\n") +
      "0 0 0 0 3 4\n0 0 0 0 0 0\n0 0 0 inf 0 0\n");
  EXPECT_NEAR((file.cloud.normals[0] - Vec3(0, 0.6, 0.8)).norm(), 0, 1e-15);
  EXPECT_TRUE(file.cloud.normals[1].array().isNaN().all());
  EXPECT_TRUE(file.cloud.normals[2].array().isNaN().all());
}

TEST_F(Ply, TooSmallForItsTypeIsZeroTooLargeIsAnError) {
  const std::string header = ascii_header("element vertex 1\n" + xyz);
  EXPECT_EQ(read(header + "1e-60 -1e-400 0\n").cloud.points_m[0], Vec3(0, 0, 0));
  EXPECT_EQ(error(header + "0 1e39 0\n"),
            "line 8: vertex 0, property y: '1e39' is not a single precision number");
}

TEST_F(Ply, HeaderErrorsNameTheLine) {
  EXPECT_EQ(error(""), "line 1: not a PLY file (the first line must be 'ply')");
  EXPECT_EQ(error("plyx\n"), "line 1: not a PLY file (the first line must be 'ply')");
  EXPECT_EQ(error("ply\n"), "line 2: the header has no 'end_header' line");
  EXPECT_EQ(error("ply\nformat ascii 1.0\nelement vertex 1\n"),
            "line 4: the header has no 'end_header' line");
  EXPECT_EQ(error("ply\nend_header\n"), "line 2: the header has no 'format' line");
  EXPECT_EQ(error("ply\nformat ascii 2.0\nend_header\n"), "line 2: unknown PLY version '2.0'");
  EXPECT_EQ(error("ply\nformat text 1.0\nend_header\n"), "line 2: unknown format 'text'");
  EXPECT_EQ(error(ascii_header("format ascii 1.0\n")), "line 3: a second 'format' line");
  EXPECT_EQ(error(ascii_header("element vertex\n")), "line 3: expected 'element NAME COUNT'");
  EXPECT_EQ(error(ascii_header("element vertex -1\n")), "line 3: element vertex: '-1' is not a count");
  EXPECT_EQ(error(ascii_header("element vertex 99999999999999999999\n")),
            "line 3: element vertex: '99999999999999999999' is not a count");
  EXPECT_EQ(error(ascii_header("element vertex 0\nelement vertex 0\n")), "line 4: a second element 'vertex'");
  EXPECT_EQ(error(ascii_header("property float x\n")), "line 3: a property before the first element");
  EXPECT_EQ(error(ascii_header("element vertex 0\nproperty half x\n")), "line 4: unknown type 'half'");
  EXPECT_EQ(error(ascii_header("element vertex 0\nproperty list float int x\n")),
            "line 4: list x: its length cannot have type float");
  EXPECT_EQ(error(ascii_header("element vertex 0\n" + xyz + "property float x\n")),
            "line 7: element vertex: a second property 'x'");
  EXPECT_EQ(error(ascii_header("garbage\n")), "line 3: unknown header line 'garbage'");
  EXPECT_EQ(error(ascii_header("\n")), "line 3: empty line in the header");
  EXPECT_EQ(error(ascii_header("gar\xff\x01\n")), "line 3: unknown header line 'gar\\xff\\x01'");
}

TEST_F(Ply, ElementErrorsNameWhatIsMissing) {
  EXPECT_EQ(error(ascii_header("element point 0\n" + xyz)), "no element vertex");
  EXPECT_EQ(error(ascii_header("element vertex 1\nproperty float x\nproperty float y\n") + "1 2\n"),
            "element vertex has no property z");
  EXPECT_EQ(error(ascii_header("element vertex 1\nproperty float x\nproperty float y\n"
                               "property list uchar float z\n") +
                  "1 2 1 3\n"),
            "element vertex has no property z");
  EXPECT_EQ(
      error(ascii_header("element vertex 0\n" + xyz + "element face 1\nproperty list int int ids\n") + "0\n"),
      "element face has no property vertex_indices");
  EXPECT_EQ(error(ascii_header("element vertex 0\n" + xyz +
                               "element face 1\nproperty list uchar float vertex_indices\n") +
                  "0\n"),
            "element face: property vertex_indices is not a list of integers");
  EXPECT_EQ(error(ascii_header("element vertex 0\n" + xyz + "element x 1\n") + "0\n"),
            "element x has no properties");
}

TEST_F(Ply, AsciiDataErrorsNameLineRecordAndProperty) {
  const std::string header = ascii_header("element vertex 2\n" + xyz);
  EXPECT_EQ(error(header + "1 2 3\n4 5x 6\n"),
            "line 9: vertex 1, property y: '5x' is not a single precision number");
  EXPECT_EQ(error(header + "1 2 3\n4.5 5\n"), "line 9: vertex 1, property z: the line ends before it");
  EXPECT_EQ(error(header + "1 2 3 4\n5 6 7\n"), "line 8: vertex 0: '4' is more than its properties");
  EXPECT_EQ(error(header + "1 2 3\n\n  \n\n"), "the file ends after 1 of 2 vertex records");
  EXPECT_EQ(error(header + "1 2 3\n4 5 6\n7 8 9\n"),
            "line 10: '7' after the last element: the header's counts are wrong");
  for (const char* const word : {"1,5", "0x10", "1.5.5", "--1", "+-1", "e5", ".", "-", "+", "nanx", "1f"})
    EXPECT_THAT(error(header + "1 2 3\n4 5 " + word + "\n"), HasSubstr("is not a single precision number"))
        << word;
}

TEST_F(Ply, AsciiIntegersMustBeIntegersOfTheirType) {
  const std::string header = ascii_header("element vertex 1\n" + xyz + "property uchar red\n");
  EXPECT_EQ(read(header + "1 2 3 255\n").cloud.points_m.size(), 1u);
  for (const char* const word : {"256", "-1", "1.5", "nan", "1e1", ""})
    EXPECT_THAT(error(header + "1 2 3 " + word + "\n"), HasSubstr("vertex 0, property red")) << word;
  EXPECT_EQ(error(header + "1 2 3 256\n"),
            "line 9: vertex 0, property red: '256' is not an integer from 0 to 255");
}

TEST_F(Ply, FaceErrorsNameTheFace) {
  const std::string header =
      ascii_header("element vertex 3\n" + xyz + "element face 1\nproperty list uchar int vertex_indices\n") +
      "0 0 0\n1 0 0\n0 1 0\n";
  EXPECT_EQ(error(header + "3 0 1 3\n"),
            "line 13: face 0, property vertex_indices: vertex 3 of 3 does not exist");
  EXPECT_EQ(error(header + "3 0 1 -1\n"),
            "line 13: face 0, property vertex_indices: vertex -1 of 3 does not exist");
  EXPECT_EQ(error(header + "2 0 1\n"), "line 13: face 0, property vertex_indices: a face of 2 vertices");
  EXPECT_EQ(error(header + "4 0 1 2\n"), "line 13: face 0, property vertex_indices: the line ends before it");
}

TEST_F(Ply, MeshWithoutFacesIsAnError) {
  const std::string empty =
      ascii_header("element vertex 1\n" + xyz + "element face 0\nproperty list uchar int vertex_indices\n") +
      "0 0 0\n";
  const auto path = directory_.file("f.ply", empty);
  EXPECT_FALSE(read_ply(path).mesh.has_value());
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_mesh_file(path); }), HasSubstr("f.ply: no faces"));
}

TEST_F(Ply, BinaryDataErrorsNameRecordAndProperty) {
  const std::string binary = "ply\nformat binary_little_endian 1.0\n";
  const std::string three = binary + "element vertex 3\n" + xyz + "end_header\n";
  EXPECT_EQ(error(three + std::string(35, '\0')),
            "the header promises 3 vertex records of at least 12 bytes, but 35 bytes are left");
  EXPECT_EQ(error(three + std::string(36, '\0') + "x"),
            "1 bytes after the last element: the header's counts are wrong");
  const std::string listed =
      binary + "element vertex 1\n" + xyz + "property list int int ids\nend_header\n" + std::string(12, '\0');
  EXPECT_EQ(error(listed + std::string("\xff\xff\xff\xff", 4)), "vertex 0, property ids: a list of -1 items");
  EXPECT_EQ(error(listed + std::string("\x02\0\0\0\0\0\0\0", 8)),
            "vertex 0, property ids: the file ends here (0 of 1 records read)");
}

TEST_F(Ply, LyingCountsFailBeforeMemoryIsSetAside) {
  const std::string huge = "element vertex 18446744073709551615\n" + xyz + "end_header\n";
  EXPECT_THAT(error("ply\nformat binary_little_endian 1.0\n" + huge + "abc"),
              HasSubstr("but 3 bytes are left"));
  EXPECT_THAT(error("ply\nformat ascii 1.0\n" + huge + "1 2 3\n"), HasSubstr("but 6 bytes are left"));
  EXPECT_THAT(error(ascii_header("element vertex 3\n" + xyz +
                                 "element face 1\nproperty list uint int vertex_indices\n") +
                    "0 0 0\n0 0 0\n0 0 0\n4294967295 0 1 2\n"),
              HasSubstr("line 13: face 0, property vertex_indices: the line ends before it"));
}

TEST_F(Ply, MissingFilesAreErrors) {
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_ply(directory_ / "no.ply"); }),
              HasSubstr("no.ply: no such file"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_ply(directory_.path()); }),
              HasSubstr("not a regular file"));
}

TEST_F(Ply, WritersRefuseWhatCannotBeReadBack) {
  PointCloud cloud = full_cloud();
  cloud.normals.pop_back();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { write_ply_cloud(directory_ / "c.ply", cloud); }),
              HasSubstr("c.ply: 3 points with 2 normals, 3 confidences and 3 colours"));
  const TriangleMesh mesh{{{0, 0, 0}}, {{0, 0, 1}}};
  EXPECT_THAT(error_of(ErrorKind::input, [&] { write_ply_mesh(directory_ / "m.ply", mesh); }),
              HasSubstr("m.ply: triangle 0 uses vertex 1 of 1"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "c.ply"));
}

}  // namespace
}  // namespace aqbench
