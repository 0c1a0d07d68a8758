#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pipeline/plane_sweep/kernels/tile.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {
namespace {

constexpr PixelBox kBox{300, 371, 200, 255};

RefractiveCamera camera_at(double x_m, double y_m) {
  RefractiveCamera camera;
  camera.width_px = 640;
  camera.height_px = 480;
  camera.fx_px = camera.fy_px = 900;
  camera.cx_px = 319.5;
  camera.cy_px = 239.5;
  camera.centre_m = {x_m, y_m, 0};
  return camera;
}

RefractiveCamera above_water(double x_m, double y_m) {
  RefractiveCamera camera = camera_at(x_m, y_m);
  set_water(camera, 0.5, 1, 1.333);
  return camera;
}

RefractiveCamera behind_dome(double x_m, double y_m) {
  RefractiveCamera camera = camera_at(x_m, y_m);
  set_port(camera, {PortModel::dome, {0.002, 0, 0.003}, 0.05, 0.007, 1, 1.473, 1.333});
  return camera;
}

// A surface with ripples and one hole, 2 cm deep around the middle of the interval.
float guide_m(int x, int y, double middle_m) {
  if (x == 320 && y == 220) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(middle_m + 0.01 * std::sin(0.2 * x) * std::cos(0.15 * y));
}

// Compares the first, the middle and the last sample of each pixel of the box with exact projections.
void expect_exact(const RefractiveCamera& reference, const RefractiveCamera& source,
                  const DepthInterval& depths, double middle_m) {
  constexpr double kReach_m = 0.004;
  ProjectionPowers powers;
  FitScratch scratch;
  fit_powers(cast_box_rays(reference, kBox), depths, source, scratch, powers);
  ASSERT_TRUE(powers.exact_enough) << powers.error_px;
  const int columns = kBox.x_end - kBox.x_begin;
  const auto stride = static_cast<std::size_t>(round_up_to_lanes(columns));
  std::vector<float> x(stride, 0.0F), t[3], u[3], v[3];
  for (auto* powers_of : {&t, &u, &v})
    for (std::vector<float>& power : *powers_of) power.assign(stride, std::nanf(""));
  for (int i = 0; i < columns; ++i) x[i] = box_coordinate(kBox.x_begin + i, kBox.x_begin, kBox.x_end);
  Lanes bounds[4] = {broadcast(1e9F), broadcast(-1e9F), broadcast(1e9F), broadcast(-1e9F)};
  double error_px = 0, u_min_px = 1e9;
  int compared = 0;
  for (int y = kBox.y_begin; y < kBox.y_end; ++y) {
    for (int i = 0; i < columns; ++i) {
      const double depth_m = guide_m(kBox.x_begin + i, y, middle_m);
      const double near = depths.t(depth_m - kReach_m), far = depths.t(depth_m + kReach_m);
      t[0][i] = static_cast<float>(depths.t(depth_m));
      t[1][i] = static_cast<float>((far - near) / 2);
      t[2][i] = static_cast<float>((far + near) / 2 - depths.t(depth_m));
    }
    project_guided_row(powers, box_coordinate(y, kBox.y_begin, kBox.y_end),
                       {x.data(), {t[0].data(), t[1].data(), t[2].data()}, columns},
                       {u[0].data(), u[1].data(), u[2].data()}, {v[0].data(), v[1].data(), v[2].data()},
                       bounds);
    for (int i = 0; i < columns; ++i) {
      const float depth_m = guide_m(kBox.x_begin + i, y, middle_m);
      if (std::isnan(depth_m)) {
        EXPECT_TRUE(std::isnan(u[0][i]) && std::isnan(v[0][i]));
        continue;
      }
      const auto ray = cast_ray(reference, {static_cast<double>(kBox.x_begin + i), static_cast<double>(y)});
      for (const int s : {-1, 0, 1}) {
        const auto seen = project(source, point_on_ray(*ray, depth_m + s * kReach_m));
        const Vec2 found(powers.u_base_px + u[0][i] + s * u[1][i] + s * s * u[2][i],
                         powers.v_base_px + v[0][i] + s * v[1][i] + s * s * v[2][i]);
        error_px = std::max(error_px, (found - seen->pixel).norm());
        u_min_px = std::min(u_min_px, seen->pixel.x());
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 3 * (columns * (kBox.y_end - kBox.y_begin) - 1));
  EXPECT_LT(error_px, 5e-4);
  float lowest = bounds[0][0];
  for (int lane = 1; lane < kLanes; ++lane) lowest = std::min(lowest, bounds[0][lane]);
  EXPECT_NEAR(powers.u_base_px + lowest, u_min_px, 0.01);
}

TEST(GuidedProjection, FollowsExactProjectionsThroughLevelWater) {
  expect_exact(above_water(0, 0), above_water(0.1, 0.05), {0.5, 0.015}, 0.5);
}

TEST(GuidedProjection, FollowsExactProjectionsInAirOverAWideRangeOfDepths) {
  const double near_m = 0.4, far_m = 4;  // evenly in 1 / depth, from which a straight ray's image is rational
  const DepthInterval depths{(1 / near_m + 1 / far_m) / 2, (1 / near_m - 1 / far_m) / 2, true};
  expect_exact(camera_at(0, 0), camera_at(0.1, 0.05), depths, 0.9);
}

TEST(GuidedProjection, FollowsExactProjectionsThroughADome) {
  const DepthInterval depths{1 / 0.6, 1 / 0.58 - 1 / 0.6, true};
  expect_exact(behind_dome(0, 0), behind_dome(0.1, 0.05), depths, 0.6);
}

TEST(GuidedProjection, HasNoPolynomialsWhereNoLightPasses) {
  RefractiveCamera grazing = above_water(0, 0);  // looks along the water
  grazing.rotation = {1, 0, 0, 0, 0, -1, 0, 1, 0};
  ProjectionPowers powers;
  FitScratch scratch;
  fit_powers(cast_box_rays(grazing, kBox), {0.5, 0.01}, above_water(0.1, 0), scratch, powers);
  EXPECT_FALSE(powers.exact_enough);
}

}  // namespace
}  // namespace aqbench::plane_sweep
