#include "metrics/plane_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

std::optional<PlaneFit> fit_all(const std::vector<Vec3>& points) {
  std::vector<std::uint32_t> index(points.size());
  std::iota(index.begin(), index.end(), 0U);
  return fit_plane(points, index);
}

TEST(PlaneFit, FindsATiltedNormal) {
  const test::PlaneTruth truth(0.4);
  const auto fit = fit_all(test::noisy_cloud(truth, 5000, 0, 0, 1).points_m);
  ASSERT_TRUE(fit);
  EXPECT_NEAR((fit->normal - truth.normal()).norm(), 0, 1e-12);
  EXPECT_LT(fit->normal.z(), 0);
  EXPECT_NEAR(fit->rmse_m, 0, 1e-12);
  EXPECT_NEAR(fit->max_m, 0, 1e-12);
}

TEST(PlaneFit, MeasuresNoiseAlongTheNormal) {
  const test::PlaneTruth truth(0.4);
  const auto fit =
      fit_all(test::noisy_cloud(truth, 50000, 0.001, 0.010, 2).points_m);  // a bias is no error here
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->rmse_m, 0.001, 4 * 0.001 / std::sqrt(2 * 50000.0));
  EXPECT_GT(fit->max_m, 0.0035);
  EXPECT_LT(fit->max_m, 0.0065);
}

TEST(PlaneFit, UsesTheChosenPointsAlone) {
  const std::vector<Vec3> points = {{0, 0, 1}, {9, 9, 9}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1.4}};
  const auto fit = fit_plane(points, std::vector<std::uint32_t>{0, 2, 3});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->normal.z(), -1, 1e-12);
  EXPECT_NEAR(fit->centroid_m.z(), 1, 1e-12);
}

TEST(PlaneFit, KeepsItsDigitsFarFromTheOrigin) {
  std::vector<Vec3> points = test::noisy_cloud(test::PlaneTruth(), 1000, 0, 0, 3).points_m;
  for (Vec3& point : points) point += Vec3(1e6, -1e6, 0);
  const auto fit = fit_all(points);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->normal.z(), -1, 1e-9);
  EXPECT_LT(fit->rmse_m, 1e-9);
}

TEST(PlaneFit, OfPointsThatSpanNoPlaneIsUndefined) {
  EXPECT_FALSE(fit_all({}));
  EXPECT_FALSE(fit_all({{0, 0, 1}, {1, 0, 1}}));
  EXPECT_FALSE(fit_all({{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}));
  std::vector<Vec3> line;
  for (int i = 0; i < 100; ++i) line.push_back(Vec3(0.1, -0.1, 1.1) + 0.003 * i * Vec3(1, 2, 3));
  EXPECT_FALSE(fit_all(line));
  PointCloud cloud;
  cloud.points_m = line;
  EXPECT_EQ(test::reason_of(test::score_cloud(cloud, test::PlaneTruth()), "plane_fit_rmse_mm"),
            "the points lie on one line");
}

}  // namespace
}  // namespace aqbench
