#include "metrics/charuco.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

TEST(Charuco, OneTwoAndThreeMillimetresHaveTheMeanTwo) {
  const std::vector<Vec3> truth = {{0, 0, 1.1}, {0.04, 0, 1.1}, {0.08, 0, 1.1}};
  const std::vector<Vec3> corners = {{0.001, 0, 1.1}, {0.04, -0.002, 1.1}, {0.08, 0, 1.103}};
  const CornerErrors errors = charuco_errors(corners, truth);
  ASSERT_EQ(errors.distance_m.size(), 3U);
  EXPECT_NEAR(errors.distance_m[2], 0.003, 1e-15);
  EXPECT_NEAR(errors.mean_m.value(), 0.002, 1e-15);
  EXPECT_NEAR(errors.median_m.value(), 0.002, 1e-15);
  EXPECT_NEAR(errors.max_m.value(), 0.003, 1e-15);
  EXPECT_NEAR(errors.rmse_m.value(), std::sqrt(14.0 / 3) * 1e-3, 1e-15);
}

TEST(Charuco, UnequalCountsAreAnError) {
  const std::vector<Vec3> two(2, Vec3::Zero()), three(3, Vec3::Zero());
  EXPECT_THROW(charuco_errors(two, three), Error);
  EXPECT_THROW(charuco_errors({}, three), Error);
}

TEST(Charuco, ACornerThatIsNotFiniteIsAnError) {
  EXPECT_THROW(charuco_errors(std::vector<Vec3>{{0, test::kNaN, 0}}, std::vector<Vec3>{{0, 0, 0}}), Error);
}

TEST(Charuco, WithoutCornersIsUndefined) {
  const CornerErrors errors = charuco_errors({}, {});
  EXPECT_FALSE(errors.mean_m || errors.median_m || errors.max_m || errors.rmse_m);
}

}  // namespace
}  // namespace aqbench
