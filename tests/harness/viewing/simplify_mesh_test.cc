#include "harness/viewing/simplify_mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aqbench {
namespace {

// A hilly sheet of n x n squares, 0.5 m wide, each of two triangles.
TriangleMesh sheet(std::uint32_t n) {
  TriangleMesh mesh;
  for (std::uint32_t y = 0; y <= n; ++y)
    for (std::uint32_t x = 0; x <= n; ++x)
      mesh.vertices_m.emplace_back(0.5 * x / n, 0.5 * y / n, 0.01 * std::sin(20.0 * x / n));
  for (std::uint32_t y = 0; y < n; ++y)
    for (std::uint32_t x = 0; x < n; ++x) {
      const std::uint32_t at = y * (n + 1) + x;
      mesh.triangles.push_back({at, at + 1, at + n + 1});
      mesh.triangles.push_back({at + 1, at + n + 2, at + n + 1});
    }
  return mesh;
}

double area_m2(const TriangleMesh& mesh, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  double area = 0;
  for (const auto& [a, b, c] : triangles)
    area +=
        (mesh.vertices_m[b] - mesh.vertices_m[a]).cross(mesh.vertices_m[c] - mesh.vertices_m[a]).norm() / 2;
  return area;
}

TEST(SimplifyMesh, FitsCoversTheSameSurfaceAndSaysHowFarItIsOff) {
  const TriangleMesh mesh = sheet(200);  // 80 000 triangles
  const SimplifiedMesh simple = simplify_mesh(mesh, 5000);
  EXPECT_LE(simple.triangles.size(), 5000u);
  EXPECT_GT(simple.triangles.size(), 2500u) << "it must not be coarser than it has to be";
  EXPECT_NEAR(area_m2(mesh, simple.triangles) / area_m2(mesh, mesh.triangles), 1, 0.03);
  // Every vertex of the mesh has one that is left within the distance that is said, and one is as far.
  std::vector<bool> is_left(mesh.vertices_m.size(), false);
  for (const auto& triangle : simple.triangles)
    for (const std::uint32_t corner : triangle) is_left[corner] = true;
  double farthest = 0;
  for (const Vec3& vertex : mesh.vertices_m) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < is_left.size(); ++i)
      if (is_left[i]) nearest = std::min(nearest, (mesh.vertices_m[i] - vertex).norm());
    farthest = std::max(farthest, nearest);
  }
  EXPECT_LE(farthest, simple.moved_m);
  EXPECT_GT(farthest, simple.moved_m / 4);
  EXPECT_LT(simple.moved_m, 0.015);
  EXPECT_EQ(simplify_mesh(mesh, 5000).triangles, simple.triangles);
}

TEST(SimplifyMesh, LeavesAloneWhatFits) {
  TriangleMesh mesh = sheet(4);
  EXPECT_EQ(simplify_mesh(mesh, 32).triangles, mesh.triangles);
  EXPECT_EQ(simplify_mesh(mesh, 32).moved_m, 0);
  EXPECT_TRUE(simplify_mesh(mesh, 0).triangles.empty());
  mesh.vertices_m[0].x() = std::nan("");
  EXPECT_EQ(simplify_mesh(mesh, 32).triangles.size(), 31u);  // the one that has it as a corner
  EXPECT_TRUE(simplify_mesh({}, 5).triangles.empty());
}

}  // namespace
}  // namespace aqbench
