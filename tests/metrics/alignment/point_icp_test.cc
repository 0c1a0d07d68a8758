#include "metrics/alignment/point_icp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "core/parallel.h"
#include "tests/core/error_matcher.h"
#include "tests/metrics/alignment/planted_similarity.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// A lattice of 0.1 m with a bump, so that no motion but the planted one brings it upon itself.
std::vector<Vec3> lattice() {
  std::vector<Vec3> points;
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 9; ++y) points.emplace_back(0.1 * x, 0.1 * y, 0.02 * ((x * y) % 5));
  return points;
}

Similarity small_similarity() {
  Similarity small;
  small.scale = 1.01;
  small.linear = 1.01 * Eigen::AngleAxisd(0.01, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  small.translation_m = Vec3(0.01, -0.012, 0.005);
  return small;
}

std::vector<Vec3> moved_back_all(const std::vector<Vec3>& points) {
  std::vector<Vec3> back;
  for (const Vec3& point : points) back.push_back(test::moved_back(small_similarity(), point));
  return back;
}

TEST(PointIcp, FindsThePlantedSimilarity) {
  const std::vector<Vec3> truth = lattice(), cloud = moved_back_all(truth);
  const PointIcp icp = align_points(cloud, truth, {.within_m = 0.05}, "icp");
  EXPECT_LT(test::farthest_apart(icp.to_from, small_similarity(), cloud), 1e-12);
  EXPECT_NEAR(icp.to_from.scale, 1.01, 1e-12);
  EXPECT_EQ(icp.after.fitness, 1);
  EXPECT_LT(icp.after.inlier_rmse_m, 1e-12);
  EXPECT_GT(icp.before.inlier_rmse_m, 0.005);
  EXPECT_EQ(icp.pairs, truth.size());
}

// A change of the rmse that always counts as small leaves the end to the fitness, which is 1 from the start.
TEST(PointIcp, EndsByItsCriteria) {
  const std::vector<Vec3> truth = lattice(), cloud = moved_back_all(truth);
  EXPECT_EQ(align_points(cloud, truth, {.within_m = 0.05, .rmse_change_m = 20}, "icp").iterations, 1);
  EXPECT_EQ(align_points(cloud, truth, {.within_m = 0.05}, "icp").iterations, 2);
  EXPECT_EQ(align_points(cloud, truth, {.within_m = 0.05, .max_iterations = 1}, "icp").iterations, 1);
}

TEST(PointIcp, ADistanceOfTheLimitIsNotWithinIt) {
  const std::vector<Vec3> truth = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
  const std::vector<Vec3> cloud = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 5}};
  const PointIcp icp = align_points(cloud, truth, {.within_m = 1, .max_iterations = 1}, "icp");
  EXPECT_EQ(icp.before.fitness, 0.75);
  EXPECT_EQ(icp.before.inlier_rmse_m, 0);
}

std::string icp_refusal(const std::vector<Vec3>& cloud, const std::vector<Vec3>& truth, double within_m) {
  return error_of(ErrorKind::input,
                  [&] { align_points(cloud, truth, {.within_m = within_m, .max_iterations = 100}, "icp"); });
}

TEST(PointIcp, WhatIsNotDeterminedIsRefused) {
  const std::vector<Vec3> truth = lattice();
  EXPECT_EQ(icp_refusal({}, truth, 1), "icp: the cloud has no points");
  EXPECT_EQ(icp_refusal(truth, {}, 1), "icp: the truth has no points");
  EXPECT_EQ(icp_refusal({Vec3(9, 9, 9)}, truth, 0.4), "icp: no point lies within 400 mm of the truth");
  EXPECT_THAT(icp_refusal({Vec3(0, 0, 0), Vec3(0.1, 0, 0)}, truth, 0.4), HasSubstr("icp: 2 pairs do not"));
  const std::vector<Vec3> line = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}, {0.3, 0, 0}};
  EXPECT_THAT(icp_refusal(line, line, 0.4), HasSubstr("icp: all lie on one line"));
}

// Three true points in the middle of a wide cloud draw all of it together: without a limit the scale would go
// to zero.
TEST(PointIcp, AScaleThatCollapsesIsRefused) {
  const std::vector<Vec3> truth = {{0.5, 0.4, 0.03}, {0.52, 0.4, 0.03}, {0.5, 0.42, 0.03}};
  EXPECT_THAT(icp_refusal(lattice(), truth, 10), HasSubstr("icp: the scale runs away: it has come to 0.0"));
}

TEST(PointIcp, IsTheSameForAnyThreads) {
  std::vector<Vec3> truth, cloud;
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> place(0, 1);
  for (int i = 0; i < 20000; ++i) {
    truth.emplace_back(place(generator), place(generator), place(generator));
    cloud.push_back(test::moved_back(small_similarity(), truth.back()));
  }
  set_thread_count(1);
  const PointIcp one = align_points(cloud, truth, {.within_m = 0.1, .max_iterations = 5}, "icp");
  set_thread_count(2);
  const PointIcp two = align_points(cloud, truth, {.within_m = 0.1, .max_iterations = 5}, "icp");
  set_thread_count(available_processors());
  EXPECT_EQ(one.to_from.matrix(), two.to_from.matrix());
  EXPECT_EQ(one.after.inlier_rmse_m, two.after.inlier_rmse_m);
}

}  // namespace
}  // namespace aqbench
