#include "scenes/cloud/ply_vertices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "scenes/cloud/ply.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/cloud/ply_forms.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// Vertices alone are read part by part, those of a mesh from the whole file.
TEST(PlyVertices, AloneAreThoseOfAMesh) {
  const TemporaryDirectory folder;
  PointCloud cloud;
  for (std::size_t i = 0; i < 5000; ++i) {
    const double at = 1e-3 * static_cast<double>(i);
    cloud.points_m.emplace_back(at, -at, 1 + at * at);
    cloud.normals.push_back(Vec3(std::cos(at), std::sin(at), 0.5).normalized());
    cloud.confidence.push_back(static_cast<float>(at));
    cloud.colours.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i / 7), 3});
  }
  const TriangleMesh mesh{cloud.points_m, {{0, 1, 2}}};
  for (const PlyFormat format : {PlyFormat::binary_little_endian, PlyFormat::binary_big_endian}) {
    const PointCloud alone = read_ply(folder.file("c.ply", ply_bytes({format, false}, cloud))).cloud;
    const GeometryFile of_mesh = read_ply(folder.file("m.ply", ply_bytes({format, false}, cloud, mesh)));
    ASSERT_TRUE(of_mesh.mesh.has_value());
    EXPECT_EQ(alone.points_m, of_mesh.cloud.points_m);
    EXPECT_EQ(alone.normals, of_mesh.cloud.normals);
    EXPECT_EQ(alone.confidence, cloud.confidence);
    EXPECT_EQ(alone.colours, cloud.colours);
    EXPECT_EQ(of_mesh.cloud.colours, cloud.colours);
    EXPECT_EQ(alone.points_m[4999].z(), static_cast<double>(static_cast<float>(cloud.points_m[4999].z())));
  }
}

// The header is within the first 64 KiB, or the file is read whole.
TEST(PlyVertices, AreReadBehindALongHeader) {
  const TemporaryDirectory folder;
  const std::string bytes =
      ply_bytes({}, {.points_m = {{1, 2, 3}, {4, 5, 6}}, .normals = {}, .confidence = {}});
  const std::string start = "ply\nformat binary_little_endian 1.0\n", comment(70000, 'x');
  ASSERT_TRUE(bytes.starts_with(start));
  const auto path = folder.file("long.ply", start + "comment " + comment + "\n" + bytes.substr(start.size()));
  EXPECT_FALSE(read_ply_header(open_file(path)));
  EXPECT_EQ(read_ply(path).cloud.points_m, (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}}));
  // What only looks like the end of the header, and an end that is cut by the limit.
  for (const std::string& first : {"comment end_header follows\n", ""}) {
    const std::size_t rest = (std::size_t{1} << 16) - bytes.find("\nend_header") - 12 - first.size();
    const std::string padded = start + first + "comment " + std::string(rest, 'x') + "\n";
    const auto cut = folder.file("cut.ply", padded + bytes.substr(start.size()));
    EXPECT_FALSE(read_ply_header(open_file(cut)));
    EXPECT_EQ(read_ply(cut).cloud.points_m.size(), 2U);
  }
  const auto short_path = folder.file("short.ply", bytes);
  const auto header = read_ply_header(open_file(short_path));
  ASSERT_TRUE(header);
  const auto layout = ply_vertex_layout(*header, bytes.size());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->points, 2U);
  EXPECT_EQ(layout->record_bytes, 24U);
  EXPECT_FALSE(ply_vertex_layout(*header, bytes.size() - 1));
  EXPECT_FALSE(ply_vertex_layout(*header, bytes.size() + 1));
}

TEST(OpenFile, IsRefusedOnceItWasChanged) {
  const TemporaryDirectory folder;
  const OpenFile file = open_file(folder.file("c.ply", "ply\n"));
  require_unchanged(file);
  folder.file("c.ply", "ply\nformat");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { require_unchanged(file); }),
            file.name + ": the file changed while it was read");
}

}  // namespace
}  // namespace aqbench
