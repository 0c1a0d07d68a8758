#include "scenes/optics/refractive_camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenes/optics/refraction_batch.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;

// A camera of the ring with an image of 640 x 480 px.
RefractiveCamera camera_above(double n_water) {
  const Rig rig = make_rig("ring12", {}, 0);
  Camera camera = rig.cameras[1];
  camera.intrinsics = pinhole(640, 480, 1504.6 * 640 / 1600);
  return refractive_camera(camera, {0.978, 1, n_water});
}

TEST(RefractiveCameraFast, ProjectionUndoesCastingWhateverTheIndices) {
  for (const double n_water : {0.8, 1.0, 1.333, 1.7}) {
    const RefractiveCamera camera = camera_above(n_water);
    for (const double u : {0.0, 13.7, 319.5, 639.0})
      for (const double v : {0.0, 100.1, 239.5, 479.0})
        for (const double depth_m : {1e-4, 0.05, 0.3, 2.0}) {
          WaterRay ray;
          if (!cast_ray_fast(camera, u, v, ray)) continue;  // total reflection
          std::array<double, 3> point_m;
          for (int k = 0; k < 3; ++k) point_m[k] = ray.origin_m[k] + depth_m * ray.direction[k];
          double u_back = 0, v_back = 0;
          ASSERT_TRUE(project_fast(camera, point_m, u_back, v_back));
          EXPECT_NEAR(u_back, u, 1e-5) << n_water << " " << depth_m;
          EXPECT_NEAR(v_back, v, 1e-5) << n_water << " " << depth_m;
        }
  }
}

TEST(RefractiveCameraFast, RaysAreUnitVectorsFromTheSurfaceAndObeySnell) {
  const RefractiveCamera camera = camera_above(1.333);
  WaterRay ray;
  ASSERT_TRUE(cast_ray_fast(camera, 20, 30, ray));
  EXPECT_DOUBLE_EQ(ray.origin_m[2], camera.water_z_m);
  EXPECT_NEAR(std::hypot(ray.direction[0], ray.direction[1], ray.direction[2]), 1, 1e-15);
  const std::array<double, 3>& centre = camera.centre_m;
  const double x = ray.origin_m[0] - centre[0], y = ray.origin_m[1] - centre[1],
               z = ray.origin_m[2] - centre[2];
  const double sine_air = std::hypot(x, y) / std::hypot(x, y, z);
  EXPECT_NEAR(1.333 * std::hypot(ray.direction[0], ray.direction[1]), sine_air, 1e-14);
}

TEST(RefractiveCameraFast, ThereIsNoProjectionAboveTheWaterOrBehindTheCamera) {
  RefractiveCamera camera = camera_above(1.333);
  const std::array<double, 3> centre = camera.centre_m;
  double u = 0, v = 0;
  EXPECT_FALSE(project_fast(camera, {0, 0, 0.978}, u, v));
  EXPECT_FALSE(project_fast(camera, {0, 0, 0.5}, u, v));
  EXPECT_TRUE(project_fast(camera, {0, 0, 1.2}, u, v));
  // The camera looks towards the axis; far on its back side the ray arrives from behind.
  EXPECT_FALSE(project_fast(camera, {centre[0] * 20, centre[1] * 20, 1.2}, u, v));
  for (int k = 6; k < 9; ++k) camera.rotation[k] = -camera.rotation[k];
  WaterRay ray;
  EXPECT_FALSE(cast_ray_fast(camera, 319.5, 239.5, ray));  // upwards
}

TEST(RefractiveCameraFast, ManyPointsAtOnceAreThePointsOneByOne) {
  Draws draws{51};
  for (const double n_water : {0.8, 1.0, 1.333}) {
    const RefractiveCamera camera = camera_above(n_water);
    PointBatch points;
    points.resize(1003);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points.x_m[i] = draws.uniform(-4, 4);
      points.y_m[i] = draws.uniform(-4, 4);
      points.z_m[i] = draws.uniform(0.9, 1.5);
    }
    points.x_m[7] = camera.centre_m[0], points.y_m[7] = camera.centre_m[1];  // on the axis
    project_points(camera, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double u = 0, v = 0;
      const std::array<double, 3> point_m{points.x_m[i], points.y_m[i], points.z_m[i]};
      const bool valid = project_fast(camera, point_m, u, v);
      ASSERT_EQ(valid, !std::isnan(points.u_px[i])) << i;
      ASSERT_EQ(valid, !std::isnan(points.ray_depth_m[i])) << i;
      if (!valid) continue;
      EXPECT_NEAR(points.u_px[i], u, 1e-8 * std::max(1.0, std::abs(u)));
      EXPECT_NEAR(points.v_px[i], v, 1e-8 * std::max(1.0, std::abs(v)));
      WaterRay ray;
      if (!cast_ray_fast(camera, u, v, ray)) continue;
      double depth_m = 0;
      for (int k = 0; k < 3; ++k) depth_m += (point_m[k] - ray.origin_m[k]) * ray.direction[k];
      EXPECT_NEAR(points.ray_depth_m[i], depth_m, 1e-6) << i;
    }
  }
}

// The plane sweep's formulas and the exact ones see the same.
TEST(RefractiveCameraFast, AgreesWithTheExactFormulas) {
  const Rig rig = make_rig("ring12", {}, 1);
  const RefractiveCamera camera = refractive_camera(rig.cameras[7]);
  for (const double u : {0.0, 300.0, 1599.0})
    for (const double v : {0.0, 900.0, 1199.0}) {
      const auto exact = cast_ray(camera, Vec2(u, v));
      WaterRay fast;
      ASSERT_TRUE(exact && cast_ray_fast(camera, u, v, fast));
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(fast.origin_m[i], exact->origin_m[i], 1e-12);
        EXPECT_NEAR(fast.direction[i], exact->direction[i], 1e-12);
      }
      const Vec3 point = point_on_ray(*exact, 0.2);
      double u_fast = 0, v_fast = 0;
      ASSERT_TRUE(project_fast(camera, {point.x(), point.y(), point.z()}, u_fast, v_fast));
      EXPECT_LT((project(camera, point)->pixel - Vec2(u_fast, v_fast)).norm(), 1e-5);
    }
}

using namespace aqbench::optics_testing;

// Rays of the ring's 12 cameras through the exact images of `point_m`, cast with the given water.
std::vector<WaterRay> ring_rays(const Vec3& point_m, const WaterInterface& assumed) {
  const Rig rig = make_rig("ring12", {}, 0);
  std::vector<WaterRay> rays;
  for (const Camera& camera : rig.cameras) {
    if (camera.is_auxiliary) continue;
    const auto seen = project(refractive_camera(camera), point_m);
    rays.push_back(cast_ray(optics_testing::refractive_camera(camera, assumed), seen.value().pixel).value());
  }
  return rays;
}

TEST(Triangulate, IgnoringRefractionLiftsThePlanesCentreBy59Point5Millimetres) {
  const Vec3 centre(0, 0, 1.178);
  const auto rays = ring_rays(centre, {0.978, 1, 1});
  ASSERT_EQ(rays.size(), 12u);
  const auto found = triangulate(rays);
  ASSERT_TRUE(found);
  EXPECT_NEAR((centre.z() - found->z()) * 1000, 59.5, 1.0);
  EXPECT_NEAR(found->head<2>().norm(), 0, 1e-12);
}

TEST(Triangulate, WithRefractionFindsThePoint) {
  Draws draws{31};
  for (int i = 0; i < 100; ++i) {
    const Vec3 point(draws.uniform(-0.25, 0.25), draws.uniform(-0.15, 0.15), draws.uniform(1.1, 1.3));
    const auto found = triangulate(ring_rays(i == 0 ? Vec3(0, 0, 1.178) : point, {}));
    ASSERT_TRUE(found);
    EXPECT_LT((*found - (i == 0 ? Vec3(0, 0, 1.178) : point)).norm(), 1e-9);  // asked: 1e-5
  }
}

// Two skew lines: x axis, and the y axis lifted by 2. The closest point is half way up.
TEST(Triangulate, TwoSkewRaysMeetHalfWay) {
  const WaterRay along_x{{-3, 0, 0}, {1, 0, 0}}, along_y{{0, 5, 2}, {0, 1, 0}};
  const auto found = triangulate(std::vector<WaterRay>{along_x, along_y});
  ASSERT_TRUE(found);
  EXPECT_LT((*found - Vec3(0, 0, 1)).norm(), 1e-12);
}

TEST(Triangulate, MinimisesTheSumOfSquaredDistances) {
  Draws draws{32};
  std::vector<WaterRay> rays;
  for (int i = 0; i < 7; ++i)
    rays.push_back(ray_along({draws.uniform(-1, 1), draws.uniform(-1, 1), 1e3},
                             {draws.uniform(-1, 1), draws.uniform(-1, 1), 1}));
  const auto sum = [&](const Vec3& point) {
    double total = 0;
    for (const WaterRay& ray : rays)
      total += (point - to_vec3(ray.origin_m)).cross(to_vec3(ray.direction)).squaredNorm();
    return total;
  };
  const auto found = triangulate(rays);
  ASSERT_TRUE(found);
  for (int axis = 0; axis < 3; ++axis)
    for (const double step : {-1e-3, 1e-3}) EXPECT_GT(sum(*found + step * Vec3::Unit(axis)), sum(*found));
}

TEST(Triangulate, NeedsTwoRaysThatAreNotParallel) {
  const WaterRay down{{0, 0, 0}, {0, 0, 1}}, beside{{1, 0, 0}, {0, 0, 1}};
  const WaterRay nearly = ray_along({1, 0, 0}, {1e-8, 0, 1});
  const WaterRay enough = ray_along({1, 0, 0}, {-1e-3, 0, 1});
  EXPECT_FALSE(triangulate({}));
  EXPECT_FALSE(triangulate(std::vector<WaterRay>{down}));
  EXPECT_FALSE(triangulate(std::vector<WaterRay>{down, beside}));
  EXPECT_FALSE(triangulate(std::vector<WaterRay>{down, nearly}));
  const auto found = triangulate(std::vector<WaterRay>{down, enough});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->z(), 1000, 1e-3);
}

}  // namespace
}  // namespace aqbench
