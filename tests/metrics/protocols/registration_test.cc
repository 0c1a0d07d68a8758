#include "metrics/protocols/registration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
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
  const auto [one, two] = on_threads<1, 2>(
      [&] { return align_points(cloud, truth, {.within_m = 0.1, .max_iterations = 5}, "icp"); });
  EXPECT_EQ(one.to_from.matrix(), two.to_from.matrix());
  EXPECT_EQ(one.after.inlier_rmse_m, two.after.inlier_rmse_m);
}

using test::CentrePairs;

// Truth by formula, 3 m wide, and the same points before the planted similarity.
struct Planted {
  std::vector<Vec3> truth, cloud;
  CentrePairs cameras;

  RegistrationInput input() const { return {cloud, truth, cameras.from, cameras.to, {}}; }
};

Planted plant(double camera_sigma_m, std::size_t wrong, double cloud_sigma_m = 0, int count = 20000) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  std::normal_distribution<double> noise(0, 1);
  Planted planted;
  planted.cameras = test::ring_of_cameras(30, camera_sigma_m, wrong, 4);
  for (int i = 0; i < count; ++i) {
    const double x = place(generator), y = place(generator);
    planted.truth.emplace_back(x, y, 0.3 * std::sin(2 * x) + 0.2 * std::cos(3 * y + x));
    const Vec3 error = cloud_sigma_m * Vec3(noise(generator), noise(generator), noise(generator));
    planted.cloud.push_back(test::moved_back(test::planted_similarity(), planted.truth.back() + error));
  }
  return planted;
}

double error_m(const Registration& found, const Planted& planted) {
  return test::farthest_apart(found.truth_from_cloud, test::planted_similarity(), planted.cloud);
}

TEST(Registration, CleanDataGiveThePlantedSimilarity) {
  const Planted planted = plant(0, 3);
  const Registration found = register_as_tanks_and_temples(planted.input(), {}, "r");
  EXPECT_LT(error_m(found, planted), 1e-6);
  EXPECT_NEAR(found.truth_from_cloud.scale, 1.02, 1e-6);
  EXPECT_EQ(found.cameras.agreeing, 27U);
  EXPECT_EQ(found.cameras_at_end.agreeing, 27U);
  const double voxels_m[] = {0.005, 0.0025, 0}, within_m[] = {0.4, 0.1, 0.01};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.steps[i].voxel_m, voxels_m[i]);
    EXPECT_DOUBLE_EQ(found.steps[i].within_m, within_m[i]);
    EXPECT_EQ(found.steps[i].icp.after.fitness, 1) << i;
    EXPECT_EQ(found.steps[i].points, found.steps[i].truth_points) << i;
  }
  EXPECT_LT(found.steps[0].points, found.steps[1].points);
  EXPECT_EQ(found.steps[2].points, 20000U);
}

// Cameras alone leave an error of the size of their noise; the clouds take most of it away. Noise of the
// cloud itself is averaged over all points.
TEST(Registration, NoiseLeavesItsBound) {
  const double sigma_m = 0.002;
  const Planted planted = plant(sigma_m, 3);
  const Registration found = register_as_tanks_and_temples(planted.input(), {}, "r");
  EXPECT_LT(test::farthest_apart(found.cameras.to_from, test::planted_similarity(), planted.cloud),
            3 * sigma_m);
  EXPECT_LT(error_m(found, planted), sigma_m / 4);
  const Planted noisy = plant(sigma_m, 3, sigma_m);
  EXPECT_LT(error_m(register_as_tanks_and_temples(noisy.input(), {}, "r"), noisy), sigma_m);
}

TEST(Registration, IsTheSameForAnyOrderAndThreads) {
  Planted planted = plant(0.002, 3, 0.001, 5000);
  RegistrationOptions options;
  options.cameras.draws = 2000;
  options.most_points = 2000;  // the last alignment looks at half of them
  const auto registration = [&] { return register_as_tanks_and_temples(planted.input(), options, "r"); };
  const auto [first] = on_threads<1>(registration);
  EXPECT_EQ(first.steps[2].points, 2500U);  // 2.5 is rounded to even, as Python does
  std::mt19937_64 generator(6);
  std::ranges::shuffle(planted.cloud, generator);
  std::ranges::shuffle(planted.truth, generator);
  const auto [second] = on_threads<2>(registration);
  EXPECT_EQ(first.truth_from_cloud.matrix(), second.truth_from_cloud.matrix());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.steps[i].icp.after.fitness, second.steps[i].icp.after.fitness);
    EXPECT_EQ(first.steps[i].icp.after.inlier_rmse_m, second.steps[i].icp.after.inlier_rmse_m);
  }
}

// Points outside of the crop, of either cloud, pull at nothing, and points that are NaN neither.
TEST(Registration, TheCropBoundsBothClouds) {
  Planted planted = plant(0, 3);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 far(1.6 + 0.0001 * i, 0.001 * (i % 50), 0);
    planted.cloud.push_back(test::moved_back(test::planted_similarity(), far));
    planted.truth.push_back(far + Vec3(0.01, 0.02, 0.03));
  }
  planted.cloud.emplace_back(std::nan(""), 0, 0);
  RegistrationInput input = planted.input();
  input.crop = [](const Vec3& point) { return point.cwiseAbs().maxCoeff() < 1.55; };
  const Registration found = register_as_tanks_and_temples(input, {}, "r");
  EXPECT_LT(test::farthest_apart(found.truth_from_cloud, test::planted_similarity(), planted.truth), 1e-6);
  EXPECT_EQ(found.steps[2].points, 20000U);
  EXPECT_EQ(found.steps[2].truth_points, 20000U);
}

std::string registration_refusal(const RegistrationInput& input) {
  RegistrationOptions options;
  options.cameras.draws = 2000;
  return error_of(ErrorKind::input, [&] { register_as_tanks_and_temples(input, options, "r"); });
}

TEST(Registration, WhatIsNotDeterminedIsRefused) {
  const Planted planted = plant(0, 3, 0, 2000);
  RegistrationInput input = planted.input();
  input.crop = [](const Vec3& point) { return point.x() > 50; };
  EXPECT_EQ(registration_refusal(input), "r: ICP 1: the cloud has no points");
  input = planted.input();
  input.cameras_m = input.cameras_m.first(2);
  input.true_cameras_m = input.true_cameras_m.first(2);
  EXPECT_THAT(registration_refusal(input),
              HasSubstr("r: camera centres: 2 pairs do not determine a similarity"));
  Planted elsewhere = planted;
  for (Vec3& point : elsewhere.cloud) point += Vec3(0, 0, 9);
  EXPECT_EQ(registration_refusal(elsewhere.input()), "r: ICP 1: no point lies within 400 mm of the truth");
  RegistrationOptions without;
  without.tau_m = 0;
  EXPECT_THAT(
      error_of(ErrorKind::usage, [&] { register_as_tanks_and_temples(planted.input(), without, "r"); }),
      HasSubstr("tau_m"));
}

// The cloud is another thing than the cameras saw: 0.35 m off, which the first alignment makes good and the
// cameras do not follow.
TEST(Registration, CloudsThatLeaveTheCamerasAreRefused) {
  Planted planted = plant(0, 3, 0, 3000);
  const Vec3 off = test::planted_similarity().linear.inverse() * Vec3(0, 0, 0.35);
  for (Vec3& point : planted.cloud) point += off;
  EXPECT_THAT(registration_refusal(planted.input()),
              HasSubstr("r: the clouds pull the cameras apart: 27 agreed"));
}

}  // namespace
}  // namespace aqbench
