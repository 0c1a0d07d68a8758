#include "harness/scoring/control_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace aqbench {
namespace {

// A grid of 1 mm on the plane z = 1.2 + x / 2, 0.1 m wide.
PointCloud tilted_plane() {
  PointCloud cloud;
  for (int i = -50; i <= 50; ++i)
    for (int j = -50; j <= 50; ++j) cloud.points_m.emplace_back(1e-3 * i, 1e-3 * j, 1.2 + 0.5e-3 * i);
  return cloud;
}

double control_value(const MetricSet& metrics, const char* name) {
  return find_metric(metrics, name)->value.value_or(-1);
}

TEST(ControlScore, DistancesAreAcrossTheLocalSurface) {
  // 2 and 4 mm above a slope of 1/2, straight up: 2 and 4 mm x 2 / sqrt(5) across it.
  const double across = 2 / std::sqrt(5.0);
  const ControlTruth control{
      {{"a", {0, 0, 1.202}, 0.001}, {"b", {0.02, 0, 1.214}, 0.004}, {"far", {0.5, 0, 1.2}, 0.001}}, 0.01};
  const MetricSet metrics = score_control_points(tilted_plane(), control);
  EXPECT_EQ(control_value(metrics, "control_points"), 2);
  EXPECT_NEAR(control_value(metrics, "control_mean_mm"), 3 * across, 1e-9);
  EXPECT_NEAR(control_value(metrics, "control_rms_mm"), std::sqrt(10.0) * across, 1e-9);
  EXPECT_NEAR(control_value(metrics, "control_max_mm"), 4 * across, 1e-9);
  EXPECT_NEAR(control_value(metrics, "control_rms_sigmas"), std::sqrt((4 + 1) / 2.0) * across, 1e-9);
}

// Of a surface with a radius of curvature of 50 mm, the points near the place count: a plane through all
// within 10 mm would be 0.5 mm off.
TEST(ControlScore, TheNearestPointsCount) {
  PointCloud cloud;
  for (int i = -100; i <= 100; ++i)
    for (int j = -100; j <= 100; ++j) {
      const double x = 1e-4 * i, y = 1e-4 * j;
      cloud.points_m.emplace_back(x, y, 1.2 + 10 * (x * x + y * y));
    }
  EXPECT_NEAR(*distance_to_local_plane_m(cloud, {0, 0, 1.199}, 0.01), 0.001, 2e-6);
}

// The denser a noisy cloud is, the more of its points lie next to any place: they must not stand for it.
TEST(ControlScore, NoiseOfADenseCloudBringsItNoNearer) {
  constexpr double kNoise = 0.5e-3;
  for (const double spacing : {1e-3, 0.5e-3, 0.2e-3}) {
    PointCloud cloud;
    const int side = static_cast<int>(0.01 / spacing);
    for (int i = -side; i <= side; ++i)
      for (int j = -side; j <= side; ++j) {
        const double z = normal_pair({7, RandomStream::point_noise}, cloud.points_m.size())[0];
        cloud.points_m.emplace_back(spacing * i, spacing * j, 1.2 + kNoise * z);
      }
    // The mean of 16 has a standard deviation of a quarter of the noise.
    EXPECT_NEAR(*distance_to_local_plane_m(cloud, {0, 0, 1.201}, 0.01), 1e-3, 4 * kNoise / 4) << spacing;
  }
}

TEST(ControlScore, WithoutASurfaceItIsUndefinedWithAReason) {
  const ControlTruth control{{{"a", {0, 0, 1.2}, 0.001}}, 0.01};
  PointCloud cloud;
  for (int i = 0; i < 8; ++i) cloud.points_m.emplace_back(1e-3 * i, 0, 1.2);
  for (const PointCloud& one : {PointCloud{}, cloud, PointCloud{{{0, 0, 1.2}, {0, 0.001, 1.2}}, {}, {}}}) {
    const MetricSet metrics = score_control_points(one, control);
    EXPECT_EQ(control_value(metrics, "control_points"), 0);
    EXPECT_FALSE(find_metric(metrics, "control_rms_mm")->value);
    EXPECT_EQ(find_metric(metrics, "control_max_mm")->reason,
              "no control point (of 1) has 3 points of the cloud, not on one line, within 10 mm");
    EXPECT_FALSE(is_never_defined(*find_metric(metrics, "control_rms_mm"))) << "another cloud has one";
  }
}

}  // namespace
}  // namespace aqbench
