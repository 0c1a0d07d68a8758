#include "metrics/point_details.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"
#include "metrics/scored_points.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/surfaces/mesh_surface.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

std::vector<Vec3> noisy_samples(const Surface& truth, std::size_t count, double sigma_m) {
  std::vector<Vec3> points(count);
  truth.sample_positions(3, 0, points);
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(0, sigma_m);
  for (Vec3& point : points) point.z() += noise(random);
  return points;
}

std::optional<HeightDifference> height_difference_of(const std::vector<Vec3>& points_m,
                                                     const Surface& truth) {
  const ScoredPoints scored = score_points(points_m, truth);
  return measure_height_difference([&](const auto& body) { body(points_m, scored.index); }, truth);
}

// Noise along z of 1 mm averages 0.798 mm vertically; the distance along the normal is shorter by the cosine
// of the slope, whose mean over the surface is the patch's area by that of the surface: 0.88.
TEST(HeightDifference, IsVerticalWhereAccuracyIsAlongTheNormal) {
  const Scene scene = make_scene("undulating", {});
  const Surface& truth = *scene.truth.surface;
  const std::vector<Vec3> points = noisy_samples(truth, 40000, 0.001);
  const ScoredPoints scored = score_points(points, truth);
  const auto found = height_difference_of(points, truth);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->points, scored.index.size());
  const double root_n = std::sqrt(static_cast<double>(found->points));
  EXPECT_NEAR(found->mean_abs_m, 0.001 * std::sqrt(2 / M_PI), 4 * 0.6028e-3 / root_n);
  EXPECT_NEAR(found->rmse_m, 0.001, 4 * 0.001 / (std::sqrt(2.0) * root_n));
  EXPECT_NEAR(found->mean_m, 0, 4 * 0.001 / root_n);
  const double along_normal_m = summarize_errors(scored.signed_error_m).mean_m;
  EXPECT_NEAR(along_normal_m / found->mean_abs_m, 0.5 * 0.3 / truth.area_m2(), 0.01);
}

TEST(HeightDifference, HasTheSignOfTheCameras) {
  const Scene scene = make_scene("flat_plane", {});
  const std::vector<Vec3> points = {{0, 0, 1.176}, {0.1, 0.1, 1.176}};
  const auto found = height_difference_of(points, *scene.truth.surface);
  EXPECT_NEAR(found->mean_m, 0.002, 1e-12);
  EXPECT_NEAR(found->max_abs_m, 0.002, 1e-12);
}

TEST(HeightDifference, IsUndefinedWithoutPointsOrHeights) {
  const Scene scene = make_scene("flat_plane", {});
  EXPECT_FALSE(height_difference_of({}, *scene.truth.surface).has_value());
  const auto mesh = make_mesh_surface(scene.truth.surface->mesh(0.05));
  const std::vector<Vec3> points = {{0, 0, 1.176}};
  EXPECT_FALSE(height_difference_of(points, *mesh).has_value());
}

// The closest point of a plane lies straight below: mean and rmse follow from projections one by one.
TEST(Reprojection, IsTheDistanceOfTheProjections) {
  const Scene scene = make_scene("flat_plane", {});
  const Rig rig = make_rig("ring12", {}, 1);
  const std::vector<Vec3> points = {{0.02, -0.01, 1.175}, {-0.05, 0.03, 1.179}};
  const ScoredPoints scored = score_points(points, *scene.truth.surface);
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (const Camera& camera : rig.cameras) {
    if (camera.is_auxiliary) continue;
    const RefractiveCamera view = refractive_camera(camera);
    for (const Vec3& p : points) {
      const double px = (project(view, p)->pixel - project(view, Vec3(p.x(), p.y(), 1.178))->pixel).norm();
      sum += px;
      squares += px * px;
      ++count;
    }
  }
  const auto found = measure_reprojection(points, scored.index, *scene.truth.surface, rig);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->projections, count);
  EXPECT_EQ(count, 24u) << "twelve cameras, the auxiliary one left out";
  EXPECT_NEAR(found->mean_px, sum / 24, 1e-9);
  EXPECT_NEAR(found->rmse_px, std::sqrt(squares / 24), 1e-9);
  EXPECT_GT(found->median_px, 0.3);
}

TEST(Reprojection, IsUndefinedWhereNoCameraLooks) {
  const Scene scene = make_scene("flat_plane", {});
  const Rig rig = make_rig("ring12", {}, 1);
  EXPECT_FALSE(measure_reprojection({}, {}, *scene.truth.surface, rig).has_value());
  const std::vector<Vec3> high = {{0, 0, -5}};  // in the air
  const ScoredPoints scored = score_points(high, *scene.truth.surface);
  EXPECT_FALSE(measure_reprojection(high, scored.index, *scene.truth.surface, rig).has_value());
}

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
