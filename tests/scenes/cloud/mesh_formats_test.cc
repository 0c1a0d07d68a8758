// Clouds and meshes in the formats of other programs, written here byte by byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/mesh_formats.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MeshFormats : public testing::Test {
 protected:
  GeometryFile read(std::string_view name, std::string_view bytes) const {
    return read_geometry_file(directory_.file(name, bytes));
  }
  std::string error(std::string_view name, std::string_view bytes) const {
    const auto path = directory_.file(name, bytes);
    const std::string message = error_of(ErrorKind::input, [&] { read_geometry_file(path); });
    return message.substr(message.find(std::string(name)));
  }
  TemporaryDirectory directory_;
};

TEST_F(MeshFormats, ObjWithPolygonsAndNegativeIndices) {
  const GeometryFile file = read("a.obj",
                                 "# square\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nvn 0 0 1\nv 1 1 0\nv 0 1 0\n"
                                 "g face\nf 1//1 2//1 3//1 4//1\nf -4 -3 -2\n");
  ASSERT_TRUE(file.mesh);
  EXPECT_EQ(file.cloud.points_m.size(), 4U);
  EXPECT_THAT(file.mesh->triangles,
              ElementsAre(std::array{0U, 1U, 2U}, std::array{0U, 2U, 3U}, std::array{0U, 1U, 2U}));
  EXPECT_FALSE(read("b.obj", "v 1 2 3\n").mesh);
  const GeometryFile joined = read("j.obj", "v 0 0 \\\n0\nv 1 0 0\nv 0 1 0\nf 1 \\\r\n 2 \\\n3\n");
  ASSERT_TRUE(joined.mesh);
  EXPECT_THAT(joined.mesh->triangles, ElementsAre(std::array{0U, 1U, 2U}));
  EXPECT_EQ(error("e.obj", "v 0 0 0\nf 1 \\\n"), "e.obj: line 2: the file ends inside a continued statement");
  EXPECT_EQ(error("c.obj", "v 0 0 0\nf 1 1 2\n"), "c.obj: line 2: face: vertex 2 of 1 does not exist");
  EXPECT_EQ(error("d.obj", "v 0 0\n"), "d.obj: line 1: vertex: '' is not a number");
}

// Lines of old Macs, and a mix of all three ends: every vertex and face is read.
TEST_F(MeshFormats, EveryEndOfALineEndsIt) {
  for (const auto& [a, b] : {std::pair("\r", "\r"), {"\r\n", "\r"}, {"\n", "\r"}, {"\r\r\n", "\n"}}) {
    std::string text = "# old";
    for (int i = 0; i < 500; ++i)
      text += (i % 2 == 0 ? a : b) + std::string("v ") + std::to_string(i) + " 0 0.5";
    const GeometryFile file = read("mac.obj", text + a + "f 1 2 500" + b);
    ASSERT_EQ(file.cloud.points_m.size(), 500U);
    EXPECT_EQ(file.cloud.points_m[499], Vec3(499, 0, 0.5));
    EXPECT_THAT(file.mesh->triangles, ElementsAre(std::array{0U, 1U, 499U}));
    EXPECT_EQ(read("mac.xyz", "0 0 1" + std::string(a) + "2 0 3" + b + "4 0 5").cloud.points_m[2],
              Vec3(4, 0, 5));
    EXPECT_EQ(read("mac.off", "OFF" + std::string(a) + "1 0 0" + b + "1 2 3" + a).cloud.points_m[0],
              Vec3(1, 2, 3));
  }
}

// The end of a Windows path is no line that goes on.
TEST_F(MeshFormats, ObjPathsMayEndInABackslash) {
  const GeometryFile file = read("p.obj",
                                 "mtllib C:\\models\\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\\\nf 1 2 3\n"
                                 "g b\\\nf 3 2 1\n");
  EXPECT_EQ(file.cloud.points_m.size(), 3U);
  ASSERT_TRUE(file.mesh);
  EXPECT_EQ(file.mesh->triangles.size(), 2U);
  EXPECT_EQ(error("v.obj", "v 0 0 0 \\\nv 1 0 0\n"), "v.obj: line 2: vertex: 'v' is not a number");
}

double area_of(const GeometryFile& file) {
  double area = 0;
  for (const auto& [a, b, c] : file.mesh->triangles) {
    const auto& at = file.mesh->vertices_m;
    area += 0.5 * (at[b] - at[a]).cross(at[c] - at[a]).norm();
  }
  return area;
}

std::string ply_text(const std::string& vertices, const std::string& faces) {
  const auto count = [](const std::string& lines) { return std::to_string(std::ranges::count(lines, '\n')); };
  return "ply\nformat ascii 1.0\nelement vertex " + count(vertices) +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + count(faces) +
         "\nproperty list uchar int vertex_indices\nend_header\n" + vertices + faces;
}

// An L of area 5, from each of its corners, in each format.
TEST_F(MeshFormats, ConcaveFacesHaveTheirArea) {
  const std::string corners = "0 0 1\n3 0 1\n3 1 1\n1 1 1\n1 3 1\n0 3 1\n";
  for (int start = 0; start < 6; ++start) {
    std::string from_one = "f", from_zero = "6";
    for (int i = 0; i < 6; ++i) {
      from_one += " " + std::to_string((start + i) % 6 + 1);
      from_zero += " " + std::to_string((start + i) % 6);
    }
    std::string obj = "v " + corners;
    for (std::size_t at = obj.find('\n'); at + 1 < obj.size(); at = obj.find('\n', at + 1))
      obj.insert(at + 1, "v ");
    EXPECT_NEAR(area_of(read("l.obj", obj + from_one + "\n")), 5, 1e-12) << start;
    EXPECT_NEAR(area_of(read("l.ply", ply_text(corners, from_zero + "\n"))), 5, 1e-12) << start;
    EXPECT_NEAR(area_of(read("l.off", "OFF\n6 1 0\n" + corners + from_zero + "\n")), 5, 1e-12) << start;
  }
}

TEST_F(MeshFormats, AFaceThatCrossesItselfIsRefused) {
  const std::string corners = "0 0 0\n1 1 0\n1 0 0\n0 1 0\n";
  EXPECT_EQ(error("x.ply", ply_text(corners, "3 0 1 2\n4 0 1 2 3\n")),
            "x.ply: face 2 (counted from 1) crosses itself");
  EXPECT_EQ(error("x.off", "OFF\n4 1 0\n" + corners + "4 0 1 2 3\n"),
            "x.off: face 1 (counted from 1) crosses itself");
}

std::string strips_text(const std::string& element, const std::string& list) {
  return "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float "
         "z\nelement " +
         element +
         " 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n" + list +
         "\n";
}

TEST_F(MeshFormats, TriangleStripsAreRead) {
  const GeometryFile file = read("s.ply", strips_text("tristrips", "10 0 1 2 3 4 -1 0 1 3 -1"));
  ASSERT_TRUE(file.mesh);
  EXPECT_THAT(file.mesh->triangles, ElementsAre(std::array{0U, 1U, 2U}, std::array{2U, 1U, 3U},
                                                std::array{2U, 3U, 4U}, std::array{0U, 1U, 3U}));
  // Joined by corners that are there twice, and without an end mark.
  EXPECT_EQ(read("j.ply", strips_text("tristrips", "6 0 1 2 2 3 4")).mesh->triangles.size(), 2U);
  EXPECT_THAT(error("t.ply", strips_text("tristrips", "3 0 1 -1")), HasSubstr("a strip of 2 vertices"));
  EXPECT_THAT(error("u.ply", strips_text("tristrips", "3 0 1 7")), HasSubstr("vertex 7 of 5 does not exist"));
}

// Faces that are not read would leave a scan of the vertices.
TEST_F(MeshFormats, FacesUnderAnotherNameAreRefused) {
  for (const char* element : {"faces", "Face", "polygon", "triangles", "trifans", "my_elements"})
    EXPECT_THAT(
        error("n.ply", strips_text(element, "3 0 1 2")),
        HasSubstr(std::string("n.ply: element ") + element + ": faces are read under the names face"));
  EXPECT_FALSE(read("r.ply", strips_text("range_grid", "1 0")).mesh);
}

TEST_F(MeshFormats, OffWithAndWithoutCountsOnTheFirstLine) {
  for (const char* head :
       {"OFF\n3 1 0\n", "OFF 3 1 0\n", "# c\nOFF\n# c\n3 1 0\n", "OFF3 1 0\n", "COFF3 1 0\n", "OFF\t3 1\n"}) {
    const GeometryFile file = read("a.off", std::string(head) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    ASSERT_TRUE(file.mesh) << head;
    EXPECT_THAT(file.mesh->triangles, ElementsAre(std::array{0U, 1U, 2U}));
  }
  EXPECT_THAT(error("b.off", "OFF\n9 1 0\n0 0 0\n"), HasSubstr("promises 9 vertices"));
  EXPECT_THAT(error("c.off", "OFF\n1 0 0\n0 0 0\n1 1 1\n"), HasSubstr("line 4: text after the last record"));
  EXPECT_THAT(error("d.off", "OFF BINARY\n"), HasSubstr("number of vertices: 'BINARY'"));
}

std::string binary_stl_of(const std::vector<std::array<float, 9>>& triangles) {
  std::string bytes = "solid that is binary" + std::string(60, ' ');
  const auto count = static_cast<std::uint32_t>(triangles.size());
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& corners : triangles) {
    bytes.append(12, '\0');
    bytes.append(reinterpret_cast<const char*>(corners.data()), 36);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST_F(MeshFormats, StlCornersAtOnePlaceBecomeOneVertex) {
  const std::string binary = binary_stl_of({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, -0.0F, 1, 0}});
  const std::string text =
      "solid s\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n"
      "  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n   vertex 1 0 0\n   vertex 1 1 0\n"
      "   vertex 0 1 0\n  endloop\n endfacet\nendsolid s\n";
  for (const std::string& bytes : {binary, text}) {
    const GeometryFile file = read("a.stl", bytes);
    ASSERT_TRUE(file.mesh);
    EXPECT_THAT(file.mesh->vertices_m,
                ElementsAre(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)));
    EXPECT_THAT(file.mesh->triangles, ElementsAre(std::array{0U, 1U, 2U}, std::array{1U, 3U, 2U}));
  }
  EXPECT_EQ(read("d.stl",
                 "SOLID A\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVertex 1 0 0\n"
                 "VERTEX 0 1 0\nENDLOOP\nENDFACET\nENDSOLID A\n")
                .mesh->triangles.size(),
            1U);
  EXPECT_THAT(error("b.stl", binary.substr(0, binary.size() - 1)),
              HasSubstr("the file ends before 'endsolid'"));
  EXPECT_THAT(error("c.stl", "x" + binary), HasSubstr("do not match the triangle count"));
}

std::string pcd_header(const std::string& data) {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F "
         "F U\n"
         "COUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0.5 0 -2 1 0 0 0\nPOINTS 2\nDATA " +
         data + "\n";
}

template <class... Values>
std::string raw(Values... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

TEST_F(MeshFormats, PcdInItsThreeKinds) {
  const std::uint32_t rgb = 0xff0000;
  const std::string binary = raw(1.0F, 2.0F, 3.0F, rgb, 1.0F, 2.0F, 4.0F, rgb);
  // Field after field; LZF: "1.0f 1.0f 2.0f 2.0f 3.0f 4.0f" as they are, rgb, and rgb again by a reference
  // of 4 bytes, 4 bytes back (length 4 = 2 + (1 << 1)).
  const std::string columns = raw(1.0F, 1.0F, 2.0F, 2.0F, 3.0F, 4.0F, rgb);
  const std::string packed =
      std::string(1, static_cast<char>(columns.size() - 1)) + columns + std::string("\x40\x03", 2);
  const std::string compressed = raw(static_cast<std::uint32_t>(packed.size()), std::uint32_t{32}) + packed;
  for (const std::string& bytes :
       {pcd_header("ascii") + "1 2 3 16711680\n1 2 4 16711680\n", pcd_header("binary") + binary,
        pcd_header("binary_compressed") + compressed}) {
    const GeometryFile file = read("a.pcd", bytes);
    EXPECT_THAT(file.cloud.points_m, ElementsAre(Vec3(1, 2, 3), Vec3(1, 2, 4)));
    EXPECT_EQ(file.viewpoint, std::optional(Vec3(0.5, 0, -2)));
  }
  EXPECT_THAT(error("b.pcd", pcd_header("binary") + binary + "x"),
              HasSubstr("33 bytes of data do not hold 2"));
  std::string damaged = compressed;
  damaged.back() = '\x7f';
  EXPECT_THAT(error("c.pcd", pcd_header("binary_compressed") + damaged), HasSubstr("damaged"));
}

// Zeros and line ends that writers append are no data; what else follows is refused.
TEST_F(MeshFormats, WhatFollowsTheDataIsFillingOrRefused) {
  const std::uint32_t rgb = 0;
  const std::string pcd = pcd_header("binary") + raw(1.0F, 2.0F, 3.0F, rgb, 1.0F, 2.0F, 4.0F, rgb);
  const std::string stl = binary_stl_of({{0, 0, 0, 1, 0, 0, 0, 1, 0}});
  const std::string ply =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
      "float z\nend_header\n" +
      raw(1.0F, 2.0F, 3.0F);
  for (const std::string& filling : {std::string("\n"), std::string("\r\n"), std::string(7, '\0')}) {
    EXPECT_EQ(read("f.pcd", pcd + filling).cloud.points_m.size(), 2U);
    EXPECT_EQ(read("f.stl", stl + filling).mesh->triangles.size(), 1U);
    EXPECT_EQ(read("f.ply", ply + filling).cloud.points_m.size(), 1U);
  }
  EXPECT_THAT(error("g.pcd", pcd + "\n1 2"), HasSubstr("36 bytes of data do not hold 2"));
  EXPECT_THAT(error("g.stl", "x" + stl.substr(1) + "more"),
              HasSubstr("bytes do not match the triangle count"));
  EXPECT_THAT(error("g.ply", ply + "\n1"), HasSubstr("2 bytes after the last element"));
}

TEST_F(MeshFormats, PcdFieldsOfNoValuesAreNone) {
  std::string header = pcd_header("ascii");
  header.replace(header.find("COUNT 1 1 1 1"), 13, "COUNT 1 1 1 0");
  EXPECT_THAT(read("c.pcd", header + "1 2 3\n1 2 4\n").cloud.points_m,
              ElementsAre(Vec3(1, 2, 3), Vec3(1, 2, 4)));
  std::string binary = pcd_header("binary");
  binary.replace(binary.find("COUNT 1 1 1 1"), 13, "COUNT 1 1 1 0");
  EXPECT_THAT(read("d.pcd", binary + raw(1.0F, 2.0F, 3.0F, 1.0F, 2.0F, 4.0F)).cloud.points_m,
              ElementsAre(Vec3(1, 2, 3), Vec3(1, 2, 4)));
  header.replace(header.find("COUNT 1 1 1 0"), 13, "COUNT 0 1 1 1");
  EXPECT_THAT(error("e.pcd", header + "1 2 3\n"), HasSubstr("FIELDS: x is missing"));
}

TEST_F(MeshFormats, ScansAreScaledWithTheirScanner) {
  const auto path = directory_.file("s.pcd", pcd_header("ascii") + "1 2 3 0\n1 2 4 0\n");
  const Scan scan = read_scan(path, 1e-3);
  EXPECT_NEAR(scan.cloud.points_m[1].z(), 0.004, 1e-18);
  ASSERT_TRUE(scan.scanner_m);
  EXPECT_NEAR(scan.scanner_m->z(), -0.002, 1e-18);
  const auto empty = directory_.file("e.xyz", "\n");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_scan(empty); }), HasSubstr("e.xyz: no points"));
}

TEST_F(MeshFormats, CsvWithNamedColumnsAndAnySeparator) {
  const auto expected = ElementsAre(Vec3(1, 2, 3), Vec3(4, 5, 6));
  EXPECT_THAT(read("a.csv", "id,X,Y,\"Z\"\n7,1,2,3\n8,4,5,6\n").cloud.points_m, expected);
  EXPECT_THAT(read("b.csv", "1;2;3\n4;5;6\n").cloud.points_m, expected);
  EXPECT_THAT(read("c.txt", "1|2|3\n4|5|6\n").cloud.points_m, expected);
  const GeometryFile normals = read("d.csv", "x y z nx ny nz\n1 2 3 0 0 1\n4 5 6 0 1 0\n");
  EXPECT_THAT(normals.cloud.points_m, expected);
  EXPECT_THAT(normals.cloud.normals, ElementsAre(Vec3(0, 0, 1), Vec3(0, 1, 0)));
  EXPECT_EQ(error("e.csv", "0,1;0,2;0,3\n"), "e.csv: line 1: column 2: '1;0' is not a number");
}

}  // namespace
}  // namespace aqbench
