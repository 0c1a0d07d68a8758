#pragma once
// Cameras and random numbers shared by the tests of this folder.

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/random.h"
#include "scenes/optics/camera.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"

namespace aqbench::optics_testing {

// A repeatable stream of uniform numbers.
struct Draws {
  std::uint64_t seed;
  std::uint64_t next = 0;
  double uniform(double low, double high) {
    return low + (high - low) * uniform01({seed, RandomStream::point_noise}, next++);
  }
};

inline Intrinsics pinhole(int width, int height, double focal_px) {
  Intrinsics out;
  out.width_px = width;
  out.height_px = height;
  out.K << focal_px, 0, (width - 1) / 2.0, 0, focal_px, (height - 1) / 2.0, 0, 0, 1;
  return out;
}

// Looks down from `centre_m`, tilted by up to `tilt_rad`, any roll.
inline Camera tilted_camera(Draws& draws, const Vec3& centre_m, double tilt_rad) {
  const double azimuth = draws.uniform(0, 2 * std::numbers::pi);
  const Vec3 axis(std::cos(azimuth), std::sin(azimuth), 0);
  const Mat3 rotation = (Eigen::AngleAxisd(draws.uniform(0, tilt_rad), axis) *
                         Eigen::AngleAxisd(draws.uniform(0, 2 * std::numbers::pi), Vec3::UnitZ()))
                            .toRotationMatrix();
  return {"camera", pinhole(1600, 1200, 1504.6), {rotation, -(rotation * centre_m)}, false};
}

// A ray from `origin_m` in the direction of `towards`, which need not be a unit vector.
inline WaterRay ray_along(const Vec3& origin_m, const Vec3& towards) {
  const Vec3 unit = towards.normalized();
  return {{origin_m.x(), origin_m.y(), origin_m.z()}, {unit.x(), unit.y(), unit.z()}};
}

// The camera, looking through this water instead of its own interface.
inline RefractiveCamera refractive_camera(Camera camera, const WaterInterface& water) {
  camera.interface = water;
  return aqbench::refractive_camera(camera);
}

}  // namespace aqbench::optics_testing
