#include "harness/checking/cloud_difference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace aqbench {
namespace {

std::vector<Vec3> grid(double spacing_m, const Vec3& shift_m = Vec3::Zero()) {
  std::vector<Vec3> points;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) points.push_back(Vec3(spacing_m * i, spacing_m * j, 0) + shift_m);
  return points;
}

TEST(CloudDifference, IsTheShiftOfASurfaceAndZeroOfTheSame) {
  const std::vector<Vec3> base = grid(0.01);
  const CloudDifference same = cloud_difference(base, base);
  EXPECT_EQ(same.median_m, 0);
  EXPECT_EQ(same.p95_m, 0);
  const CloudDifference moved = cloud_difference(base, grid(0.01, {0, 0, 0.003}));
  EXPECT_NEAR(moved.median_m, 0.003, 1e-15);
  EXPECT_NEAR(moved.p95_m, 0.003, 1e-15);
  EXPECT_EQ(moved.points_b, 400u);
  EXPECT_THROW(cloud_difference(base, {}), Error);
}

// What one cloud alone has is seen in its direction.
TEST(CloudDifference, TakesTheLargerOfBothDirections) {
  const std::vector<Vec3> base = grid(0.01);
  std::vector<Vec3> more = base;
  for (const Vec3& point : base)
    if (point.x() < 0.02) more.push_back(point + Vec3(0, 0, 0.5));  // 40 of 440
  EXPECT_NEAR(cloud_difference(base, more).p95_m, 0.5, 1e-12);
  EXPECT_EQ(cloud_difference(base, more).median_m, 0);
}

TEST(CloudDifference, TheExtentIsTheDiagonal) {
  EXPECT_NEAR(extent_m(grid(0.01)), 0.19 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(extent_m({}), 0);
}

TEST(CloudDifference, TheSpacingIsThatOfTheGrid) {
  EXPECT_NEAR(median_spacing_m(grid(0.01)), 0.01, 1e-12);
  EXPECT_THROW(median_spacing_m(std::vector<Vec3>(1)), Error);
}

}  // namespace
}  // namespace aqbench
