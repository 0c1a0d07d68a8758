#include "metrics/truth/truth_cloud.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "core/error.h"
#include "metrics/score.h"
#include "scenes/surfaces/mesh_surface.h"
#include "tests/core/on_threads.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

constexpr double kSigmaM = 0.001;

// Uniform points of the plane z = 1 over x from x_low to x_high, y from 0 to 0.3, with noise along z.
PointCloud plane_points(std::size_t count, double x_low, double x_high, double sigma_m, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> x(x_low, x_high), y(0, 0.3);
  std::normal_distribution<double> noise(0, 1);
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i)
    cloud.points_m.emplace_back(x(generator), y(generator), 1 + sigma_m * noise(generator));
  return cloud;
}

std::shared_ptr<const TruthCloud> scan_of(PointCloud cloud, const TruthCloudOptions& options = {}) {
  return make_truth_cloud({{std::move(cloud), std::nullopt, "scan.ply"}}, options);
}

ScoreOptions partial(double max_distance_m) {
  ScoreOptions options;
  options.sample_spacing_m = 0.005;
  options.part.max_distance_m = max_distance_m;
  options.part.leave_out_beyond_border = true;
  return options;
}

// The mean of |noise| is sigma sqrt(2 / pi) = 0.798 sigma on the half that the truth covers.
void expect_half_plane_scored(const Surface& truth, double share_tolerance_pct) {
  const PointCloud cloud = plane_points(120000, 0, 0.4, kSigmaM, 7);
  const Score score = score_reconstruction({cloud, {}, {}}, truth, partial(0.02));
  EXPECT_NEAR(test::value_of(score.metrics, "accuracy_mean_mm"),
              1e3 * kSigmaM * std::sqrt(2 / std::numbers::pi), 0.01 * 0.798);
  EXPECT_NEAR(test::value_of(score.metrics, "points_left_out_pct"), 50, share_tolerance_pct);
  EXPECT_EQ(score.counts.scored + score.counts.left_out(), 120000U);
  EXPECT_GT(test::value_of(score.metrics, "points_beyond_border"), 50000);
}

TEST(TruthCloud, APartialScanScoresTheHalfThatItCovers) {
  expect_half_plane_scored(*scan_of(plane_points(20000, 0, 0.2, 0, 3)), 2);
}

TEST(TruthCloud, APartialMeshScoresTheHalfThatItCovers) {
  const TriangleMesh mesh{{{0, 0, 1}, {0.2, 0, 1}, {0.2, 0.3, 1}, {0, 0.3, 1}}, {{0, 1, 2}, {0, 2, 3}}};
  expect_half_plane_scored(*make_mesh_surface(mesh), 1);
}

TEST(TruthCloud, WithoutLeavingOutTheOtherHalfDecides) {
  const auto truth = scan_of(plane_points(5000, 0, 0.2, 0, 3));
  ScoreOptions options;
  options.sample_spacing_m = 0.005;
  const Score score = score_reconstruction({plane_points(5000, 0, 0.4, kSigmaM, 7), {}, {}}, *truth, options);
  EXPECT_GT(test::value_of(score.metrics, "accuracy_mean_mm"), 40);
  EXPECT_GT(score.counts.beyond_border, 2000U);  // reported, and scored
  EXPECT_EQ(find_metric(score.metrics, "points_left_out_pct"), nullptr);
}

// To sampled points, without noise: E = 1 / (2 sqrt(density)) away from borders.
TEST(TruthCloud, PointToPointHasTheFloorOfItsDensity) {
  const TruthCloudOptions to_point{CloudDistance::point};
  const PointCloud inside = plane_points(20000, 0.02, 0.18, 0, 9);
  const auto truth = scan_of(plane_points(30000, 0, 0.2, 0, 3), to_point);
  const double density = 30000 / (0.2 * 0.3);
  double sum = 0;
  std::vector<double> distances(inside.points_m.size());
  truth->signed_distances(inside.points_m, distances);
  for (const double distance : distances) sum += std::abs(distance);
  EXPECT_NEAR(sum / 20000, 0.5 / std::sqrt(density), 0.02 * 0.5 / std::sqrt(density));
  const auto to_plane = scan_of(plane_points(30000, 0, 0.2, 0, 3));
  to_plane->signed_distances(inside.points_m, distances);
  EXPECT_LT(std::abs(*std::ranges::max_element(distances)), 1e-12);
}

// A point far beside the scan, in its plane, is far from it.
TEST(TruthCloud, APlaneReachesOnlyAsFarAsItsNeighbours) {
  const auto truth = scan_of(plane_points(5000, 0, 0.2, 0, 3));
  std::vector<ClosestPoint> closest(1);
  std::vector<std::uint8_t> beyond(1);
  const std::vector<Vec3> query = {{1.2, 0.15, 1}};
  truth->closest_points_and_borders(query, closest, beyond);
  EXPECT_NEAR(std::abs(closest[0].signed_distance_m), 1.0, 0.01);
  EXPECT_EQ(beyond[0], 1);
}

TEST(TruthCloud, FewInteriorPointsAreTakenForABorder) {
  const auto truth = scan_of(plane_points(30000, 0, 0.2, 0, 3));
  const PointCloud inside = plane_points(20000, 0.01, 0.19, 0.0002, 11);
  std::vector<Vec3> queries;
  for (const Vec3& point : inside.points_m)
    if (point.y() > 0.01 && point.y() < 0.29) queries.push_back(point);
  std::vector<ClosestPoint> closest(queries.size());
  std::vector<std::uint8_t> beyond(queries.size());
  truth->closest_points_and_borders(queries, closest, beyond);
  EXPECT_LT(static_cast<double>(std::ranges::count(beyond, 1)), 0.002 * static_cast<double>(queries.size()));
}

TEST(TruthCloud, TheScannerDecidesTheSide) {
  const PointCloud cloud = plane_points(2000, 0, 0.2, 0, 3);
  const std::vector<Vec3> query = {{0.1, 0.15, 1.01}};
  std::vector<double> distance(1);
  make_truth_cloud({{cloud, Vec3(0.1, 0.1, 5), ""}})->signed_distances(query, distance);
  EXPECT_NEAR(distance[0], 0.01, 1e-12);
  make_truth_cloud({{cloud, std::nullopt, ""}})->signed_distances(query, distance);
  EXPECT_NEAR(distance[0], -0.01, 1e-12);
  const TruthCloudOptions seen{.cameras_m = {{0, 0, -90}, {0.1, 0.1, 5}}};
  make_truth_cloud({{cloud, std::nullopt, ""}}, seen)->signed_distances(query, distance);
  EXPECT_NEAR(distance[0], 0.01, 1e-12) << "without a scanner the nearest camera does";
}

// Shuffled cloud, shuffled and split truth, another number of threads: every metric has the same bits.
TEST(TruthCloud, OrderAndThreadsChangeNoBit) {
  PointCloud truth = plane_points(6000, 0, 0.2, 0.0003, 3), cloud = plane_points(9000, 0, 0.4, kSigmaM, 7);
  const auto score = [&](std::vector<Scan> scans) {
    return score_reconstruction({cloud, {}, {}}, *make_truth_cloud(std::move(scans)), partial(0.02)).metrics;
  };
  const MetricSet first = score({{truth, std::nullopt, ""}});
  std::mt19937_64 generator(5);
  std::shuffle(cloud.points_m.begin(), cloud.points_m.end(), generator);
  std::shuffle(truth.points_m.begin(), truth.points_m.end(), generator);
  PointCloud half;
  half.points_m.assign(truth.points_m.begin() + 2500, truth.points_m.end());
  truth.points_m.resize(2500);
  const auto [second] = on_threads<3>([&] {
    return score({{half, std::nullopt, ""}, {truth, std::nullopt, ""}});
  });
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].first, second[i].first);
    EXPECT_EQ(first[i].second.value, second[i].second.value) << first[i].first;
  }
}

TEST(TruthCloud, RefusesWhatIsNoTruth) {
  EXPECT_THROW(make_truth_cloud({}), Error);
  PointCloud nan;
  nan.points_m.emplace_back(test::kNaN, 0, 0);
  EXPECT_THROW(scan_of(nan), Error);
  PointCloud one_place;
  one_place.points_m.assign(3, Vec3(0, 0, 1));
  EXPECT_THROW(scan_of(one_place), Error);
}

TEST(ScoreOptions, SizesFollowTheTruth) {
  const test::PlaneTruth standard;
  EXPECT_EQ(auto_spacing_m(standard, 1000), ScoreOptions{}.sample_spacing_m);
  EXPECT_EQ(auto_tile_m(standard), 0.010);
  EXPECT_EQ(auto_spacing_m(*scan_of(plane_points(100, 0, 1, 0, 1)), 10), ScoreOptions{}.sample_spacing_m);
  // A scan of 1 mm has its 250 thousand cells, too; one of fewer points nearly one for each.
  PointCloud small;
  for (const Vec3& point : plane_points(400000, 0, 0.3, 0, 1).points_m)
    small.points_m.emplace_back(point / 0.3 * 0.001);
  const auto scan = scan_of(small);
  const std::size_t samples = scan->stratified_samples(auto_spacing_m(*scan, 1000), 1).positions_m.size();
  EXPECT_GE(samples, 250000u);
  EXPECT_LE(samples, 400000u);
  const TriangleMesh room{{{0, 0, 1}, {100, 0, 1}, {0, 100, 1}}, {{0, 1, 2}}};
  EXPECT_NEAR(auto_spacing_m(*make_mesh_surface(room), 1000), std::sqrt(5000 / 4e5), 1e-12);
  EXPECT_NEAR(auto_spacing_m(*make_mesh_surface(room), 16000000), std::sqrt(5000 / 16e6), 1e-12);
  EXPECT_NEAR(auto_spacing_m(*make_mesh_surface(room), 200000000), std::sqrt(5000 / 20e6), 1e-12);
  const TriangleMesh chip{{{0, 0, 1}, {0.005, 0, 1}, {0, 0.005, 1}}, {{0, 1, 2}}};
  EXPECT_NEAR(auto_spacing_m(*make_mesh_surface(chip), 1000), std::sqrt(12.5e-6 / 250e3), 1e-12);
}

// A scan has no area to hold the mesh's against: no run could have that value.
TEST(TruthCloud, TheAreaOfAMeshHasNothingToBeHeldAgainst) {
  const PointCloud points = plane_points(2000, 0, 0.3, 0, 7);
  const TriangleMesh mesh{{{0.1, 0.1, 1}, {0.2, 0.1, 1}, {0.1, 0.2, 1}}, {{0, 1, 2}}};
  const MetricSet metrics = score_reconstruction({points, mesh, {}}, *scan_of(points), partial(0.02)).metrics;
  EXPECT_FALSE(find_metric(metrics, "mesh_area_ratio")->value);
  EXPECT_TRUE(is_never_defined(*find_metric(metrics, "mesh_area_ratio")));
}

}  // namespace
}  // namespace aqbench
