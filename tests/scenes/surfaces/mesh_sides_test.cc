// Which side of a mesh is positive, and where it ends: by the places of its corners, whatever the winding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "core/error.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/shapes.h"

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

double distance_m(const Surface& surface, const Vec3& point) {
  double distance = 0;
  surface.signed_distances(std::span(&point, 1), std::span(&distance, 1));
  return distance;
}

// A box of 2 x 2 x 2 about the origin: 12 triangles, each with vertices of its own.
TriangleMesh box_of_single_triangles(bool turned) {
  TriangleMesh box;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (const bool second : {false, true}) {
        std::array<Vec3, 3> corners;
        const double along[3][2] = {{-1, -1}, {1, -1}, {1, 1}}, other[3][2] = {{-1, -1}, {1, 1}, {-1, 1}};
        for (std::size_t k = 0; k < 3; ++k) {
          const auto& at = second ? other[k] : along[k];
          corners[k][axis] = side;
          corners[k][(axis + 1) % 3] = at[0];
          corners[k][(axis + 2) % 3] = at[1];
        }
        if ((side < 0) != turned) std::swap(corners[1], corners[2]);
        const auto first = static_cast<std::uint32_t>(box.vertices_m.size());
        box.vertices_m.insert(box.vertices_m.end(), corners.begin(), corners.end());
        box.triangles.push_back({first, first + 1, first + 2});
      }
  return box;
}

// All points 2 mm outside of a closed box, beside its faces, edges and corners.
TEST(MeshSurface, OfABoxIsPositiveOutsideWhateverItsWinding) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> u(-1, 1);
  for (const bool turned : {false, true}) {
    TriangleMesh box = box_of_single_triangles(turned);
    const TriangleMesh once = box;
    for (const auto& triangle : once.triangles)
      box.triangles.push_back({triangle[1], triangle[0], triangle[2]});
    for (const TriangleMesh& mesh : {once, box}) {
      const auto surface = make_mesh_surface(mesh);
      EXPECT_EQ(surface->face_counts()->repeated, mesh.triangles.size() - 12);
      EXPECT_NEAR(surface->area_m2(), 24, 1e-12);
      for (int i = 0; i < 3000; ++i) {
        Vec3 place(u(random), u(random), u(random)), out(normal(random), normal(random), normal(random));
        for (int axis = 0; axis < 3; ++axis)
          if (axis <= i % 3)
            place[axis] = std::copysign(1.0, out[axis]);
          else
            out[axis] = 0;
        const Vec3 outside = place + 0.002 * out.normalized();
        std::vector<ClosestPoint> found(1);
        std::vector<std::uint8_t> beyond(1);
        surface->closest_points_and_borders(std::vector{outside}, found, beyond);
        EXPECT_NEAR(found[0].signed_distance_m, 0.002, 1e-12) << outside.transpose();
        EXPECT_EQ(beyond[0], 0) << "a closed surface has no border";
        EXPECT_LT(distance_m(*surface, 0.998 * place), 0) << place.transpose();
      }
    }
  }
}

// The wall of a vessel: outside and in its cavity a point is before the solid, in the wall behind its
// surface.
TEST(MeshSurface, OfAVesselIsPositiveInItsCavityToo) {
  for (const bool outer : {false, true})
    for (const bool inner : {false, true}) {
      TriangleMesh vessel = box_of_single_triangles(outer);
      const TriangleMesh cavity = box_of_single_triangles(inner);
      const auto first = static_cast<std::uint32_t>(vessel.vertices_m.size());
      for (const Vec3& vertex : cavity.vertices_m) vessel.vertices_m.push_back(0.5 * vertex);
      for (const auto& [a, b, c] : cavity.triangles)
        vessel.triangles.push_back({first + a, first + b, first + c});
      const auto surface = make_mesh_surface(vessel);
      EXPECT_NEAR(distance_m(*surface, {1.1, 0.2, 0.3}), 0.1, 1e-12);
      EXPECT_NEAR(distance_m(*surface, {0.9, 0.2, 0.3}), -0.1, 1e-12);
      EXPECT_NEAR(distance_m(*surface, {0.6, 0.2, 0.3}), -0.1, 1e-12);
      EXPECT_NEAR(distance_m(*surface, {0.4, 0.2, 0.3}), 0.1, 1e-12);
    }
}

// Boxes by their formula.
struct Box {
  Vec3 centre, half;

  double distance_m(const Vec3& point) const {
    const Vec3 beyond = (point - centre).cwiseAbs() - half;
    return beyond.cwiseMax(0).norm() + std::min(0.0, beyond.maxCoeff());
  }
};

// Each face of a box in two triangles, in squares of `pieces` x `pieces`; every second box turned inside out.
TriangleMesh mesh_of(const std::vector<Box>& boxes, const Eigen::Matrix3d& turn, int pieces = 3) {
  TriangleMesh mesh;
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0})
        for (int i = 0; i < pieces * pieces; ++i) {
          const auto first = static_cast<std::uint32_t>(mesh.vertices_m.size());
          for (int k = 0; k < 4; ++k) {
            Vec3 at;
            at[axis] = side;
            at[(axis + 1) % 3] = -1 + 2.0 / pieces * (i % pieces + k % 2);
            at[(axis + 2) % 3] = -1 + 2.0 / pieces * (i / pieces + k / 2);
            mesh.vertices_m.push_back(turn * (boxes[b].centre + at.cwiseProduct(boxes[b].half)));
          }
          const bool turned = (side > 0) != (b % 2 == 0);
          for (Triangle triangle :
               {Triangle{first, first + 1, first + 3}, Triangle{first, first + 3, first + 2}}) {
            if (turned) std::swap(triangle[1], triangle[2]);
            mesh.triangles.push_back(triangle);
          }
        }
  return mesh;
}

// Outside of the union the distance is that to the nearest box; inside of any the sign is negative.
void expect_union(const std::vector<Box>& boxes, const Eigen::Matrix3d& turn, const char* what) {
  const auto surface = make_mesh_surface(mesh_of(boxes, turn));
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int i = 0; i < 4000; ++i) {
    const Box& near = boxes[static_cast<std::size_t>(i) % boxes.size()];
    Vec3 point(u(random), u(random), u(random));
    const int axis = i % 3;
    point[axis] = std::copysign(1.0, point[axis]);
    point = near.centre + point.cwiseProduct(near.half);
    point[axis] += (i % 2 == 0 ? 1e-3 : -1e-3) * (point[axis] > near.centre[axis] ? 1 : -1);
    double expected = HUGE_VAL;
    for (const Box& box : boxes) expected = std::min(expected, box.distance_m(point));
    const double found = distance_m(*surface, turn * point);
    if (expected > 0)
      EXPECT_NEAR(found, expected, 1e-12) << what << " " << point.transpose();
    else
      EXPECT_LT(found, 0) << what << " " << point.transpose();
  }
}

TEST(MeshSurface, OfBodiesThatReachIntoEachOtherIsPositiveOutsideOfAll) {
  std::vector<Box> chain, pile;
  for (int i = 0; i < 7; ++i) chain.push_back({{0.07 * i, 0.013 * i, -0.011 * i}, {0.05, 0.04, 0.045}});
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int i = 0; i < 25; ++i)
    pile.push_back({Vec3(0.2 * u(random), 0.2 * u(random), 0.1 * u(random)),
                    Vec3(0.06 + 0.03 * u(random), 0.06 + 0.03 * u(random), 0.06 + 0.03 * u(random))});
  // A rod whose ends lie in two bodies, and one right through a body.
  const std::vector<Box> rod = {{{-0.1, 0, 0}, {0.05, 0.05, 0.05}},
                                {{0.1, 0.01, 0.02}, {0.05, 0.05, 0.05}},
                                {{0, 0, 0.01}, {0.09, 0.01, 0.01}},
                                {{0.1, 0, 0.01}, {0.005, 0.2, 0.005}}};
  for (const double angle : {0.0, 0.7}) {
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
    expect_union(chain, turn, "chain");
    expect_union(pile, turn, "pile");
    expect_union(rod, turn, "rod");
  }
}

// Two cubes, and four about an edge, whose common walls are in the mesh once, as the joining of equal faces
// leaves them, or twice, cut along other diagonals.
TEST(MeshSurface, OfBodiesWithACommonWallIsPositiveOutside) {
  const std::vector<std::vector<Box>> groups = {
      {{{0, 0, 0}, {0.05, 0.05, 0.05}}, {{0.1, 0, 0}, {0.05, 0.05, 0.05}}},
      {{{0, 0, 0}, {0.05, 0.05, 0.05}},
       {{0.1, 0, 0}, {0.05, 0.05, 0.05}},
       {{0, 0.1, 0}, {0.05, 0.05, 0.05}},
       {{0.1, 0.1, 0}, {0.05, 0.05, 0.05}}}};
  for (const std::vector<Box>& boxes : groups)
    for (const bool other_diagonal : {false, true})
      for (const int pieces : {1, 2}) {
        TriangleMesh mesh = mesh_of(boxes, Eigen::Matrix3d::Identity(), pieces);
        const std::size_t each = 4U * static_cast<std::size_t>(6 * pieces * pieces);
        for (Vec3& vertex : mesh.vertices_m)
          vertex = (vertex * 1024 / 0.05).array().round().matrix() * 0.05 / 1024;  // the same bits
        if (other_diagonal)
          for (std::size_t i = 0; i < mesh.triangles.size(); i += 2) {
            const std::uint32_t first = mesh.triangles[i][0];
            if (first / each % 2 == 0) continue;
            mesh.triangles[i] = {first, first + 1, first + 2};
            mesh.triangles[i + 1] = {first + 1, first + 3, first + 2};
          }
        const auto surface = make_mesh_surface(mesh);
        std::mt19937_64 random(11);
        std::uniform_real_distribution<double> u(-1, 1);
        for (int i = 0; i < 3000; ++i) {
          const Vec3 point = Vec3(0.05, 0.05, 0) + 0.12 * Vec3(u(random), u(random), u(random));
          double expected = HUGE_VAL;
          for (const Box& box : boxes) expected = std::min(expected, box.distance_m(point));
          const double found = distance_m(*surface, point);
          if (expected > 0)
            EXPECT_NEAR(found, expected, 1e-9) << point.transpose();
          else
            EXPECT_LT(found, 0) << point.transpose() << " " << other_diagonal << " " << pieces;
        }
      }
}

// A seam of vertices that are there twice, as a texture needs it, is no border.
TEST(MeshSurface, EndsAtNoSeam) {
  TriangleMesh sheet{{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}},
                     {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}}};
  const auto surface = make_mesh_surface(sheet);
  const std::vector<Vec3> points = {{1, 0.4, 0.9}, {1, 1.2, 1}, {2.1, 0.4, 1}};
  std::vector<ClosestPoint> found(3);
  std::vector<std::uint8_t> beyond(3);
  surface->closest_points_and_borders(points, found, beyond);
  EXPECT_THAT(beyond, testing::ElementsAre(0, 1, 1));
  EXPECT_EQ(surface->mesh(1).vertices_m.size(), 8U);
}

}  // namespace
}  // namespace aqbench
