#include "metrics/truth/truth_cloud.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>

#include "core/random.h"

namespace aqbench {
namespace {

TEST(CompactNormal, KeepsTheAxesExactly) {
  EXPECT_EQ(CompactNormal().unit(), Vec3(0, 0, 0));
  EXPECT_EQ(CompactNormal(Vec3(0, 0, 0)).unit(), Vec3(0, 0, 0));
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 normal = sign * Vec3::Unit(axis);
      EXPECT_EQ(CompactNormal(normal).unit(), normal);
    }
}

TEST(CompactNormal, KeepsAnyDirectionWithinANanoradian) {
  static_assert(sizeof(CompactNormal) == 8);
  double worst_rad = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const RandomKey key{5, RandomStream::surface_position};
    const auto [u, v] = uniform01_pair(key, i);
    const double z = 2 * u - 1, angle = 6.283185307179586 * v, r = std::sqrt(1 - z * z);
    const Vec3 normal(r * std::cos(angle), r * std::sin(angle), z);
    const Vec3 kept = CompactNormal(normal).unit();
    EXPECT_NEAR(kept.norm(), 1, 1e-15);
    worst_rad = std::max(worst_rad, kept.cross(normal).norm());
    EXPECT_GT(kept.dot(normal), 0);
  }
  EXPECT_LT(worst_rad, 1e-9);
  EXPECT_GT(worst_rad, 0);
}

TEST(TruePoints, AreInOrderAndEachPlaceStandsOnce) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  PointCloud one, two;
  one.points_m = {{2, 0, 0}, {1, 0, 0}, {kNaN, 0, 0}};
  one.normals = {{0, 0, 2}, {0, 3, 0}, {0, 0, 1}};
  two.points_m = {{1, 0, 0}, {0, 5, 0}};
  two.normals = {{0, 0, -1}, {0, 0, 0}};
  const TruePoints points = collect_true_points({{one, Vec3(0, 0, 9), "one"}, {two, std::nullopt, "two"}});
  ASSERT_EQ(points.positions_m, (std::vector<Vec3>{{0, 5, 0}, {1, 0, 0}, {2, 0, 0}}));
  ASSERT_EQ(points.normals.size(), 3U);
  EXPECT_EQ(points.normals[0].unit(), Vec3(0, 0, 0));   // of no length: to be estimated
  EXPECT_EQ(points.normals[1].unit(), Vec3(0, 0, -1));  // comes before (0, 1, 0)
  EXPECT_EQ(points.normals[2].unit(), Vec3(0, 0, 1));
  EXPECT_EQ(points.towards_m(0, points.positions_m[0]), Vec3(0, 0, -1));  // the scanner is unknown
  EXPECT_EQ(points.towards_m(2, points.positions_m[2]), Vec3(-2, 0, 9));
}

}  // namespace
}  // namespace aqbench
