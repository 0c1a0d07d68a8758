#include "scenes/optics/pinhole_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

Camera camera_in(const Port& port) {
  Camera camera;
  camera.name = "left";
  camera.intrinsics.width_px = 1600;
  camera.intrinsics.height_px = 1200;
  camera.intrinsics.K << 1504.6, 0, 799.5, 0, 1504.6, 599.5, 0, 0, 1;
  camera.interface = port;
  return camera;
}

Camera moved_right(Camera camera, double by_m) {
  camera.camera_from_world.translation_m.x() -= by_m;
  return camera;
}

Vec2 seen_px(const Camera& camera, const Vec3& point_m) {
  return distort_pixel(camera.intrinsics, project(refractive_camera(camera), point_m).value().pixel);
}

WaterRay ray_of(const Camera& camera, const Vec2& pixel) {
  return cast_ray(refractive_camera(camera), *Undistorter(camera.intrinsics).undistort_pixel(pixel)).value();
}

// Of the points that the grid of pixels sees at a distance from the centre.
double rms_px(const Camera& camera, const Camera& pinhole, double distance_m) {
  double sum = 0;
  for (int row = 0; row < 25; ++row)
    for (int column = 0; column < 33; ++column) {
      const Vec2 pixel(column * 1599.0 / 32, row * 1199.0 / 24);
      const WaterRay ray = ray_of(camera, pixel);
      const Vec3 from = to_vec3(ray.origin_m), along = to_vec3(ray.direction);
      const double half = from.dot(along);
      const double reach = -half + std::sqrt(half * half - from.squaredNorm() + distance_m * distance_m);
      sum += (seen_px(pinhole, from + reach * along) - pixel).squaredNorm();
    }
  return std::sqrt(sum / (25 * 33));
}

// The mean error in depth of 15 points at a depth, triangulated by two cameras 0.1 m apart.
double stereo_bias_mm(const Camera& camera, const Camera& believed, double z_m) {
  double sum = 0;
  for (const double x : {-0.15, -0.075, 0.0, 0.075, 0.15})
    for (const double y : {-0.1, 0.0, 0.1}) {
      const Vec3 point_m(x * z_m, y * z_m, z_m);
      std::vector<WaterRay> rays;
      for (const double at_m : {-0.05, 0.05})
        rays.push_back(ray_of(moved_right(believed, at_m), seen_px(moved_right(camera, at_m), point_m)));
      sum += triangulate(rays)->z() - z_m;
    }
  return 1e3 * sum / 15;
}

struct Housing {
  Port port;
  double focal_px, rms_px[4], bias_mm[4];  // at 0.5, 1, 2 and 3 m; the fit is at 1 m
};

// By a program apart from this one.
const Housing kHousings[] = {
    {{PortModel::flat, {0, 0, 1}, 0.025, 0.010, 1, 1.49, 1.333},
     1991.371,
     {6.083, 0.0103, 3.030, 4.038},
     {3.81, -0.17, -8.03, -15.9}},
    {{PortModel::flat, {0, 0, 1}, 0.005, 0.003, 1, 1.49, 1.333},
     2003.217,
     {1.146, 0.0136, 0.573, 0.764},
     {0.72, -0.03, -1.51, -2.98}},
    {{PortModel::dome, {0, 0, 0.005}, 0.05, 0.007, 1, 1.473, 1.333},
     1468.637,
     {0.882, 0.0008, 0.441, 0.588},
     {-0.66, 0.03, 1.39, 2.76}},
    {{PortModel::dome, {0.005, 0, 0}, 0.05, 0.007, 1, 1.473, 1.333},
     1504.026,
     {2.227, 0.992, 1.433, 1.692},
     {-0.05, -0.21, -0.52, -0.84}},
};

TEST(PinholeFit, FindsTheNumbersOfAnotherProgram) {
  for (const Housing& housing : kHousings) {
    const Camera camera = camera_in(housing.port), pinhole = pinhole_fit(camera, 1);
    EXPECT_TRUE(std::holds_alternative<NoInterface>(pinhole.interface));
    EXPECT_NEAR(pinhole.intrinsics.K(0, 0), housing.focal_px, 6e-4);
    const double distances_m[] = {0.5, 1, 2, 3};
    for (int i = 0; i < 4; ++i) {
      const double rms = housing.rms_px[i], bias = housing.bias_mm[i];
      EXPECT_NEAR(rms_px(camera, pinhole, distances_m[i]), rms, std::max(6e-5, 6e-4 * rms))
          << housing.focal_px << " at " << distances_m[i];
      EXPECT_NEAR(stereo_bias_mm(camera, pinhole, distances_m[i]), bias, 0.006 + 0.005 * std::abs(bias))
          << housing.focal_px << " at " << distances_m[i];
    }
  }
}

TEST(PinholeFit, ALensStaysInTheFit) {
  Camera camera = camera_in(kHousings[0].port);
  camera.intrinsics.distortion = {-0.05, 0.01, 0.001, -0.002, 0};
  EXPECT_LT(rms_px(camera, pinhole_fit(camera, 1), 1), 0.05);
}

TEST(PinholeFit, WithoutAnInterfaceNothingChanges) {
  Camera camera = camera_in({});
  camera.interface = NoInterface{};
  camera.intrinsics.distortion = {0, 0, 0, 0, 0.3};
  EXPECT_EQ(pinhole_fit(camera, 1).intrinsics.distortion, camera.intrinsics.distortion);
}

TEST(PinholeFit, ADistanceWithinTheHousingIsRefused) {
  EXPECT_THAT(error_of(ErrorKind::input, [] { pinhole_fit(camera_in({}), 0.03); }),
              HasSubstr("camera 'left': its water begins"));
}

}  // namespace
}  // namespace aqbench
