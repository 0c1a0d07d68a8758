#include "pipeline/plane_sweep/kernels/flat_water_camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/plane_sweep/kernels/project_points.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"

namespace aqbench::plane_sweep {
namespace {

FlatWaterCamera camera_above(double n_water) {
  SyntheticScene scene;
  scene.width_px = 640;
  scene.height_px = 480;
  FlatWaterCamera camera = ring_camera(scene, 1);
  camera.n_water = n_water;
  return camera;
}

TEST(FlatWaterCameraTest, ProjectionUndoesCastingWhateverTheIndices) {
  for (const double n_water : {0.8, 1.0, 1.333, 1.7}) {
    const FlatWaterCamera camera = camera_above(n_water);
    for (const double u : {0.0, 13.7, 319.5, 639.0})
      for (const double v : {0.0, 100.1, 239.5, 479.0})
        for (const double depth_m : {1e-4, 0.05, 0.3, 2.0}) {
          WaterRay ray;
          if (!cast_ray(camera, u, v, ray)) continue;  // total reflection
          std::array<double, 3> point_m;
          for (int k = 0; k < 3; ++k) point_m[k] = ray.origin_m[k] + depth_m * ray.direction[k];
          double u_back = 0, v_back = 0;
          ASSERT_TRUE(project(camera, point_m, u_back, v_back));
          EXPECT_NEAR(u_back, u, 1e-5) << n_water << " " << depth_m;
          EXPECT_NEAR(v_back, v, 1e-5) << n_water << " " << depth_m;
        }
  }
}

TEST(FlatWaterCameraTest, RaysAreUnitVectorsFromTheSurfaceAndObeySnell) {
  const FlatWaterCamera camera = camera_above(1.333);
  WaterRay ray;
  ASSERT_TRUE(cast_ray(camera, 20, 30, ray));
  EXPECT_DOUBLE_EQ(ray.origin_m[2], camera.water_z_m);
  EXPECT_NEAR(std::hypot(ray.direction[0], ray.direction[1], ray.direction[2]), 1, 1e-15);
  const std::array<double, 3> centre = centre_m(camera);
  const double x = ray.origin_m[0] - centre[0], y = ray.origin_m[1] - centre[1],
               z = ray.origin_m[2] - centre[2];
  const double sine_air = std::hypot(x, y) / std::hypot(x, y, z);
  EXPECT_NEAR(1.333 * std::hypot(ray.direction[0], ray.direction[1]), sine_air, 1e-14);
}

TEST(FlatWaterCameraTest, ThereIsNoProjectionAboveTheWaterOrBehindTheCamera) {
  FlatWaterCamera camera = camera_above(1.333);
  const std::array<double, 3> centre = centre_m(camera);
  double u = 0, v = 0;
  EXPECT_FALSE(project(camera, {0, 0, 0.978}, u, v));
  EXPECT_FALSE(project(camera, {0, 0, 0.5}, u, v));
  EXPECT_TRUE(project(camera, {0, 0, 1.2}, u, v));
  // The camera looks towards the axis; far on its back side the ray arrives from behind.
  EXPECT_FALSE(project(camera, {centre[0] * 20, centre[1] * 20, 1.2}, u, v));
  for (int k = 6; k < 9; ++k) camera.rotation[k] = -camera.rotation[k];
  WaterRay ray;
  EXPECT_FALSE(cast_ray(camera, 319.5, 239.5, ray));  // upwards
}

TEST(FlatWaterCameraTest, ManyPointsAtOnceAreThePointsOneByOne) {
  for (const double n_water : {0.8, 1.0, 1.333}) {
    const FlatWaterCamera camera = camera_above(n_water);
    PointBatch points;
    points.resize(1003);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points.x_m[i] = 8 * hashed_unit(3 * i) - 4;
      points.y_m[i] = 8 * hashed_unit(3 * i + 1) - 4;
      points.z_m[i] = 0.9 + 0.6 * hashed_unit(3 * i + 2);
    }
    points.x_m[7] = centre_m(camera)[0], points.y_m[7] = centre_m(camera)[1];  // on the axis
    project_points(camera, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double u = 0, v = 0;
      const std::array<double, 3> point_m{points.x_m[i], points.y_m[i], points.z_m[i]};
      const bool valid = project(camera, point_m, u, v);
      ASSERT_EQ(valid, !std::isnan(points.u_px[i])) << i;
      ASSERT_EQ(valid, !std::isnan(points.ray_depth_m[i])) << i;
      if (!valid) continue;
      EXPECT_NEAR(points.u_px[i], u, 1e-8 * std::max(1.0, std::abs(u)));
      EXPECT_NEAR(points.v_px[i], v, 1e-8 * std::max(1.0, std::abs(v)));
      WaterRay ray;
      if (!cast_ray(camera, u, v, ray)) continue;
      double depth_m = 0;
      for (int k = 0; k < 3; ++k) depth_m += (point_m[k] - ray.origin_m[k]) * ray.direction[k];
      EXPECT_NEAR(points.ray_depth_m[i], depth_m, 1e-6) << i;
    }
  }
}

}  // namespace
}  // namespace aqbench::plane_sweep
