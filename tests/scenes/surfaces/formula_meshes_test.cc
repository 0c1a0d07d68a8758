#include "scenes/surfaces/formula_meshes.h"

#include <gtest/gtest.h>

#include <numbers>

#include "core/error.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

// Six times the volume that the triangles enclose, by the divergence theorem.
double volume_m3(const TriangleMesh& mesh) {
  double six = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    six += mesh.vertices_m[a].dot(mesh.vertices_m[b].cross(mesh.vertices_m[c]));
  return six / 6;
}

TEST(ObjectMesh, WithoutReliefIsABall) {
  const TriangleMesh mesh = object_mesh({.radius_m = 0.2, .relief = 0, .facets = 64});
  EXPECT_EQ(mesh.triangles.size(), 12U * 64 * 64);
  EXPECT_EQ(mesh.vertices_m.size(), 6U * 64 * 64 + 2) << "Euler: a closed surface, corners made once";
  for (const Vec3& vertex : mesh.vertices_m) EXPECT_NEAR(vertex.norm(), 0.2, 1e-15);
  EXPECT_NEAR(volume_m3(mesh), 4.0 / 3 * std::numbers::pi * 0.008, 2e-5);
}

TEST(ObjectMesh, IsSeenFromOutside) {
  const auto surface = make_mesh_surface(object_mesh({}));
  std::vector<Vec3> points = {{0.4, 0, 0}, {0, -0.4, 0}, {0, 0, 0.4}, {0, 0, 0.01}};
  std::vector<double> distances(points.size());
  surface->signed_distances(points, distances);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(distances[i], 0.2) << i;
  EXPECT_LT(distances[3], -0.1);
}

TEST(RoomMesh, IsSeenFromInside) {
  const auto surface = make_mesh_surface(room_mesh({.relief_m = 0, .facets = 16}), MeshSide::inside);
  std::vector<Vec3> points = {{-1.5, 0, 0}, {-1.5, 0, -1.1}, {-3, 0, 0}, {1.1, 0.75, 0.42}};
  std::vector<double> distances(points.size());
  surface->signed_distances(points, distances);
  EXPECT_NEAR(distances[0], 0.5, 1e-12) << "before the wall at x = -2";
  EXPECT_NEAR(distances[1], 0.1, 1e-12) << "below the ceiling";
  EXPECT_NEAR(distances[2], -1, 1e-12) << "behind the wall";
  EXPECT_LT(distances[3], -0.1) << "in an object";
}

TEST(FormulaMeshes, RefuseShapesByField) {
  EXPECT_THROW(object_mesh({.radius_m = -1}), Error);
  EXPECT_THROW(object_mesh({.relief = 0.5}), Error);
  EXPECT_THROW(room_mesh({.facets = 2}), Error);
  EXPECT_THROW(room_mesh({.length_m = 0.1}), Error);
}

}  // namespace
}  // namespace aqbench
