#include "pipeline/fusion/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>

#include "core/random.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

using HeightOf = std::function<double(double x_m, double y_m)>;

double level(double, double) { return 1.178; }

double ripples(double x_m, double y_m) {
  const double turn = 2 * std::numbers::pi;
  return 1.178 + 0.005 * (std::sin(turn * x_m / 0.05) + std::sin(turn * y_m / 0.065));
}

// A jittered lattice of 1 mm over +-20 mm with normals that point up.
PointCloud patch(const HeightOf& height, double sigma_m = 0) {
  PointCloud cloud;
  const RandomKey key{5, RandomStream::point_noise};
  std::uint64_t index = 0;
  for (int i = -20; i <= 20; ++i)
    for (int j = -20; j <= 20; ++j, ++index) {
      const auto [du, dv] = uniform01_pair(key, index, 1);
      const double x = 0.001 * (i + 0.4 * (du - 0.5)), y = 0.001 * (j + 0.4 * (dv - 0.5)), step = 1e-6;
      cloud.points_m.emplace_back(x, y, height(x, y) + sigma_m * normal_pair(key, index)[0]);
      cloud.normals.push_back(Vec3((height(x + step, y) - height(x - step, y)) / (2 * step),
                                   (height(x, y + step) - height(x, y - step)) / (2 * step), -1)
                                  .normalized());
    }
  return cloud;
}

SurfaceOptions surface(SurfaceMethod method) { return {.method = method, .poisson_depth = 5}; }

TriangleMesh reconstruct(const PointCloud& cloud, const SurfaceOptions& options) {
  return reconstruct_surface(cloud, options).value();
}

Vec3 area_vector(const TriangleMesh& mesh, const std::array<std::uint32_t, 3>& t) {
  const Vec3& a = mesh.vertices_m[t[0]];
  return 0.5 * (mesh.vertices_m[t[1]] - a).cross(mesh.vertices_m[t[2]] - a);
}

// Of triangles whose corners lie within +-half_m: covered area seen from above, worst height, those facing
// down.
struct MeshCheck {
  double plan_area_m2 = 0, worst_m = 0, mean_square_m2 = 0;
  int downwards = 0;
};

MeshCheck check_mesh(const TriangleMesh& mesh, const HeightOf& height, double half_m = 0.0181) {
  MeshCheck result;
  std::size_t corners = 0;
  for (const auto& triangle : mesh.triangles) {
    const auto far = [&](std::uint32_t v) {
      return std::max(std::abs(mesh.vertices_m[v].x()), std::abs(mesh.vertices_m[v].y())) > half_m;
    };
    if (std::ranges::any_of(triangle, far)) continue;
    const Vec3 area = area_vector(mesh, triangle);
    result.plan_area_m2 += std::abs(area.z());
    if (area.z() > 0) ++result.downwards;
    for (const std::uint32_t v : triangle) {
      const Vec3& p = mesh.vertices_m[v];
      const double error = p.z() - height(p.x(), p.y());
      result.worst_m = std::max(result.worst_m, std::abs(error));
      result.mean_square_m2 += error * error;
      ++corners;
    }
  }
  result.mean_square_m2 /= static_cast<double>(std::max<std::size_t>(corners, 1));
  return result;
}

TEST(SurfaceReconstruction, EachMethodCoversAPlaneAndFacesTheCameras) {
  const PointCloud cloud = patch(level);
  for (const SurfaceMethod method :
       {SurfaceMethod::poisson, SurfaceMethod::heightfield, SurfaceMethod::ball_pivoting}) {
    const MeshCheck found = check_mesh(reconstruct(cloud, surface(method)), level);
    EXPECT_GT(found.plan_area_m2, 0.93 * 0.034 * 0.034) << static_cast<int>(method);
    EXPECT_LT(found.plan_area_m2, 1.01 * 0.036 * 0.036) << static_cast<int>(method);
    EXPECT_LT(found.worst_m, 1e-4) << static_cast<int>(method);
    EXPECT_EQ(found.downwards, 0) << static_cast<int>(method);
  }
}

TEST(SurfaceReconstruction, HeightfieldFollowsWavesThroughNoiseAndOutliers) {
  EXPECT_LT(check_mesh(reconstruct(patch(ripples), surface(SurfaceMethod::heightfield)), ripples).worst_m,
            3e-5);
  PointCloud noisy = patch(ripples, 0.0003);
  for (std::size_t i = 0; i < noisy.points_m.size(); i += 25) noisy.points_m[i].z() -= 0.004;
  const MeshCheck found = check_mesh(reconstruct(noisy, surface(SurfaceMethod::heightfield)), ripples);
  // A vertex has n = 16 pi / 1 points; the kernel's integral is 5.943 / n (fusion_test.cc).
  EXPECT_LT(std::sqrt(found.mean_square_m2), 1.3 * 0.0003 * std::sqrt(5.943 / (16 * std::numbers::pi)));
}

TEST(SurfaceReconstruction, HeightfieldLeavesHolesAndDoesNotReachBeyondEdges) {
  PointCloud cloud = patch(level);
  std::erase_if(cloud.points_m, [](const Vec3& p) { return p.head<2>().norm() < 0.01; });
  const TriangleMesh mesh = reconstruct(cloud, surface(SurfaceMethod::heightfield));
  double area_m2 = 0;
  for (const auto& triangle : mesh.triangles) area_m2 += -area_vector(mesh, triangle).z();
  const double hole_m2 = std::numbers::pi * 0.01 * 0.01;
  EXPECT_NEAR(area_m2, 0.04 * 0.04 - hole_m2, 0.6 * hole_m2);
  for (const Vec3& vertex : mesh.vertices_m) {
    EXPECT_GT(vertex.head<2>().norm(), 0.005);
    EXPECT_LE(vertex.head<2>().cwiseAbs().maxCoeff(), 0.0205);
    EXPECT_NEAR(std::remainder(vertex.x(), 0.002), 0, 1e-12);
  }
}

TEST(SurfaceReconstruction, PoissonDropsTheThinnestVertices) {
  SurfaceOptions all = surface(SurfaceMethod::poisson);
  all.poisson_density_quantile = 0;
  const std::size_t whole = reconstruct(patch(level), all).vertices_m.size();
  const std::size_t trimmed = reconstruct(patch(level), surface(SurfaceMethod::poisson)).vertices_m.size();
  EXPECT_LT(trimmed, whole);
  EXPECT_GT(static_cast<double>(trimmed), 0.97 * static_cast<double>(whole));
}

TEST(SurfaceReconstruction, DecimationReachesItsTargetAndKeepsAPlane) {
  SurfaceOptions options = surface(SurfaceMethod::heightfield);
  options.target_triangles = 50;
  const TriangleMesh mesh = reconstruct(patch(level), options);
  EXPECT_LE(mesh.triangles.size(), 50u);
  EXPECT_GT(mesh.triangles.size(), 20u);
  EXPECT_LT(check_mesh(mesh, level, 1).worst_m, 1e-6);
}

TEST(SurfaceReconstruction, NoneGivesNone) {
  EXPECT_FALSE(reconstruct_surface({}, surface(SurfaceMethod::none)).has_value());
}

TEST(SurfaceReconstruction, TheSameForAnyThreadCount) {
  const PointCloud cloud = patch(ripples, 0.0002);
  for (const auto method :
       {SurfaceMethod::poisson, SurfaceMethod::heightfield, SurfaceMethod::ball_pivoting}) {
    const char* const name = surface_method_name(method);
    const auto meshes = on_threads<1, 3>([&] { return reconstruct(cloud, surface(method)); });
    ASSERT_EQ(meshes[0].vertices_m.size(), meshes[1].vertices_m.size()) << name;
    EXPECT_EQ(std::memcmp(meshes[0].vertices_m.data(), meshes[1].vertices_m.data(),
                          meshes[0].vertices_m.size() * sizeof(Vec3)),
              0)
        << name;
    EXPECT_EQ(meshes[0].triangles, meshes[1].triangles) << name;
  }
}

TEST(SurfaceReconstruction, TooFewPointsAreAnErrorWithAReason) {
  PointCloud cloud = patch(level);
  cloud.points_m.resize(5);
  cloud.normals.resize(5);
  const auto message = [&](SurfaceMethod method) {
    return error_of(ErrorKind::method, [&] { reconstruct_surface(cloud, surface(method)); });
  };
  EXPECT_EQ(message(SurfaceMethod::poisson),
            "surface_reconstruction: poisson needs at least 10 points with normals, got 5 of 5");
  EXPECT_EQ(message(SurfaceMethod::heightfield),
            "surface_reconstruction: heightfield found no triangle among 5 points");
  cloud = patch(level);
  cloud.normals.clear();
  EXPECT_THAT(message(SurfaceMethod::ball_pivoting), testing::HasSubstr("with normals, got 0 of 1681"));
  cloud = patch(level);
  for (Vec3& point : cloud.points_m) point = Vec3(0, 0, 1);
  EXPECT_THAT(message(SurfaceMethod::ball_pivoting), testing::HasSubstr("all points coincide"));
  for (Vec3& point : cloud.points_m) point.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(message(SurfaceMethod::poisson), testing::HasSubstr("got 0 of 1681"));
  EXPECT_THAT(message(SurfaceMethod::heightfield), testing::HasSubstr("found no triangle"));
}

}  // namespace
}  // namespace aqbench
