// The whole score: edge cases, and each way in which other evaluators have been fooled (docs/metrics.md).

#include "metrics/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "metrics/registry.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::PlaneTruth;
using test::reason_of;
using test::value_of;

// A lattice on the whole patch, so dense that every tolerance but the smallest is complete.
PointCloud lattice(const PlaneTruth& truth, double pitch_m = 0.001) {
  PointCloud cloud;
  const int columns = static_cast<int>(std::lround(0.5 / pitch_m));
  const int rows = static_cast<int>(std::lround(0.3 / pitch_m));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      cloud.points_m.push_back(truth.at(-0.25 + (column + 0.5) * pitch_m, -0.15 + (row + 0.5) * pitch_m));
  }
  return cloud;
}

TEST(Score, OfAnEmptyCloudIsUndefinedAndNotZero) {
  const Score score = score_reconstruction({}, PlaneTruth(), {});
  ASSERT_FALSE(score.metrics.empty());
  for (const auto& [name, metric] : score.metrics) {
    if (name == "points" || name == "points_outside_patch" || name == "points_non_finite") {
      EXPECT_EQ(metric.value, 0.0) << name;
    } else {
      EXPECT_FALSE(metric.value) << name;
      EXPECT_EQ(metric.reason, "no points") << name;
    }
  }
  ASSERT_EQ(score.tiles.tiles.size(), 1500U);
  EXPECT_TRUE(std::isnan(score.tiles.tiles[0].completeness_pct));
}

TEST(Score, OfACloudWithoutAFinitePointSaysSo) {
  PointCloud cloud;
  cloud.points_m = {{test::kNaN, 0, 1}, {0, test::kInfinity, 1}};
  const MetricSet metrics = test::score_cloud(cloud, PlaneTruth());
  EXPECT_EQ(value_of(metrics, "points"), 2);
  EXPECT_EQ(value_of(metrics, "points_non_finite"), 2);
  EXPECT_EQ(reason_of(metrics, "accuracy_mean_mm"), "no finite points");
  EXPECT_EQ(reason_of(metrics, "completeness_2mm_pct"), "no finite points");
}

TEST(Score, OfOnePointIsDefinedButForThePlane) {
  PointCloud cloud;
  cloud.points_m = {{0, 0, PlaneTruth::kDepthM - 0.003}};
  const MetricSet metrics = test::score_cloud(cloud, PlaneTruth());
  EXPECT_NEAR(value_of(metrics, "accuracy_p95_mm"), 3, 1e-9);
  EXPECT_EQ(value_of(metrics, "nmad_mm"), 0);
  EXPECT_EQ(value_of(metrics, "precision_2mm_pct"), 0);
  EXPECT_EQ(reason_of(metrics, "plane_fit_rmse_mm"), "fewer than 3 points");
  // The point reaches a disc of radius 4 mm at 5 mm: completeness is small, not 0 nor undefined.
  // Its rim crosses some 40 sample cells: a standard error of 2.5 samples of 113, 0.0007 %.
  EXPECT_NEAR(value_of(metrics, "completeness_5mm_pct"), 100 * 3.14159e-6 * 16 / 0.15, 0.003);
}

TEST(Score, LeavesOutPointsThatAreNotFinite) {
  const PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 5000, 0.001, 0, 1);
  const MetricSet clean = test::score_cloud(cloud, truth);
  cloud.points_m.emplace_back(test::kNaN, 0, 1);
  cloud.points_m.emplace_back(0, 0, -test::kInfinity);
  const MetricSet dirty = test::score_cloud(cloud, truth);
  EXPECT_EQ(value_of(dirty, "points"), 5002);
  EXPECT_EQ(value_of(dirty, "points_non_finite"), 2);
  for (const auto& [name, metric] : clean) {
    if (name == "points" || name == "points_non_finite") continue;
    EXPECT_EQ(find_metric(dirty, name)->value, metric.value) << name;
  }
}

// 2PR/(P + R) of a cloud with nothing right: 0/0, which some evaluators divided.
TEST(Score, FscoreOfNothingRightIsUndefined) {
  PointCloud cloud = test::noisy_cloud(PlaneTruth(), 100, 0, 0.5, 1);
  const MetricSet metrics = test::score_cloud(cloud, PlaneTruth());
  EXPECT_EQ(value_of(metrics, "precision_2mm_pct"), 0);
  EXPECT_EQ(value_of(metrics, "completeness_2mm_pct"), 0);
  EXPECT_EQ(reason_of(metrics, "fscore_2mm_pct"), "precision and completeness are both 0");
}

// Accuracy averaged in voxels depends on where the grid lies: shifting a plane by half a voxel moved one
// evaluator's score from 0.982 to 0.859.
TEST(Score, DoesNotDependOnWhereAGridLies) {
  const Patch shifted_patch{-0.249, 0.251, -0.149, 0.151};
  const PlaneTruth truth, shifted(0, shifted_patch);
  PointCloud cloud = test::noisy_cloud(truth, 20000, 0.001, 0, 2);
  const MetricSet before = test::score_cloud(cloud, truth);
  for (Vec3& point : cloud.points_m) point += Vec3(0.001, 0.001, 0);  // half of a 2 mm voxel
  const MetricSet after = test::score_cloud(cloud, shifted);
  for (const char* name : {"accuracy_mean_mm", "accuracy_p95_mm", "precision_1mm_pct", "completeness_2mm_pct",
                           "completeness_mean_mm", "fscore_2mm_pct", "plane_fit_rmse_mm"}) {
    EXPECT_NEAR(value_of(after, name), value_of(before, name), 1e-6 * value_of(before, name)) << name;
  }
}

// Points behind the surface taken as "unobserved" were free: 90 % of points 3 mm behind scored 0.9998.
TEST(Score, PointsBehindTheSurfaceAreWrong) {
  const PlaneTruth truth;
  PointCloud cloud = lattice(truth);
  for (std::size_t i = 0; i < cloud.points_m.size(); ++i) {
    if (i % 10 != 0) cloud.points_m[i].z() += 0.003;
  }
  const MetricSet metrics = test::score_cloud(cloud, truth);
  EXPECT_NEAR(value_of(metrics, "precision_2mm_pct"), 10, 1e-9);
  EXPECT_NEAR(value_of(metrics, "accuracy_mean_mm"), 2.7, 1e-9);
  EXPECT_NEAR(value_of(metrics, "bias_mean_mm"), -2.7, 1e-9);
}

// A game of density: 90 % of the points wrong, but all in one voxel, so that a score by voxels saw one bad
// voxel among thousands: 0.998.
TEST(Score, WrongPointsInOneVoxelCountOneByOne) {
  const PlaneTruth truth;
  PointCloud cloud = lattice(truth, 0.002);
  const std::size_t good = cloud.points_m.size();
  for (std::size_t i = 0; i < 9 * good; ++i) {
    const auto [u, v] = uniform01_pair({3, RandomStream::dropout}, i);
    cloud.points_m.push_back(truth.at(0.002 * u, 0.002 * v) - Vec3(0, 0, 0.030));
  }
  const MetricSet metrics = test::score_cloud(cloud, truth);
  EXPECT_NEAR(value_of(metrics, "precision_2mm_pct"), 10, 1e-9);
  EXPECT_NEAR(value_of(metrics, "outlier_ratio_pct"), 90, 1e-9);
  EXPECT_NEAR(value_of(metrics, "completeness_2mm_pct"), 100, 1e-9);
}

// The same game the other way: a few floaters, each in a voxel of its own, pulled 0.98 down to 0.36.
TEST(Score, FewFloatersDoNotCollapsePrecision) {
  const PlaneTruth truth;
  PointCloud cloud = lattice(truth);
  const std::size_t good = cloud.points_m.size(), floaters = good / 49;  // 2 % of all
  for (std::size_t i = 0; i < floaters; ++i) {
    const auto [u, v] = uniform01_pair({4, RandomStream::dropout}, i);
    cloud.points_m.push_back(truth.at(0.5 * u - 0.25, 0.3 * v - 0.15) -
                             Vec3(0, 0, 0.010 + 0.150 * uniform01({4, RandomStream::dropout}, i, 1)));
  }
  const MetricSet metrics = test::score_cloud(cloud, truth);
  const double expected = 100.0 * static_cast<double>(good) / static_cast<double>(good + floaters);
  EXPECT_NEAR(value_of(metrics, "precision_2mm_pct"), expected, 1e-9);
  EXPECT_NEAR(value_of(metrics, "fscore_2mm_pct"), 2 * expected * 100 / (expected + 100), 1e-9);
}

// Repeating points changes no share of completeness, and none of precision when all are repeated.
TEST(Score, RepeatingEveryPointChangesNothingButTheCount) {
  const PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 3000, 0.001, 0, 5);
  const MetricSet once = test::score_cloud(cloud, truth);
  const std::vector<Vec3> copy = cloud.points_m;
  cloud.points_m.insert(cloud.points_m.end(), copy.begin(), copy.end());
  const MetricSet twice = test::score_cloud(cloud, truth);
  for (const auto& [name, metric] : once) {
    if (name.starts_with("point")) continue;  // counts and densities
    // Percentiles interpolate between other ranks.
    EXPECT_NEAR(value_of(twice, name), *metric.value, 2e-3 * std::abs(*metric.value) + 1e-3) << name;
  }
  EXPECT_EQ(value_of(twice, "point_density_pct"), 2 * value_of(once, "point_density_pct"));
}

TEST(Score, HasTheSameBytesForAnyThreadCount) {
  const PlaneTruth truth(0.2);
  Reconstruction reconstruction{test::noisy_cloud(truth, 60000, 0.001, 0, 6), truth.mesh(0.01), {}};
  reconstruction.cloud.normals.assign(60000, Vec3(0, 0, -1));
  const auto [one, three] = on_threads<1, 3>([&] { return score_reconstruction(reconstruction, truth, {}); });
  ASSERT_EQ(one.metrics.size(), three.metrics.size());
  for (std::size_t i = 0; i < one.metrics.size(); ++i) {
    EXPECT_EQ(one.metrics[i].first, three.metrics[i].first);
    EXPECT_EQ(one.metrics[i].second.value, three.metrics[i].second.value) << one.metrics[i].first;
  }
  EXPECT_EQ(tiles_to_csv(one.tiles), tiles_to_csv(three.tiles));
}

// An unseeded shuffle changed one evaluator's result between runs. Ours does not know the order of points.
TEST(Score, DoesNotDependOnTheOrderOfPoints) {
  const PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 50000, 0.001, 0.0002, 7);
  const MetricSet before = test::score_cloud(cloud, truth);
  std::vector<std::pair<double, Vec3>> shuffled;
  for (std::size_t i = 0; i < cloud.points_m.size(); ++i)
    shuffled.emplace_back(uniform01({7, RandomStream::case_order}, i), cloud.points_m[i]);
  std::ranges::sort(shuffled, {}, &std::pair<double, Vec3>::first);
  std::ranges::transform(shuffled, cloud.points_m.begin(), &std::pair<double, Vec3>::second);
  const MetricSet after = test::score_cloud(cloud, truth);
  for (const auto& [name, metric] : before)
    EXPECT_NEAR(value_of(after, name), *metric.value, 1e-11 * std::abs(*metric.value)) << name;
}

// Ten points in the patch, two beside it, on 0.15 m2.
TEST(Score, PointsPerAreaCountsTheScoredPoints) {
  const PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 10, 0, 0, 5);
  cloud.points_m.emplace_back(2, 0, 1);
  cloud.points_m.emplace_back(0, 2, 1);
  const MetricSet metrics = test::score_cloud(cloud, truth);
  EXPECT_NEAR(value_of(metrics, "points_per_mm2"), 10 / 150000.0, 1e-15);
  EXPECT_NEAR(value_of(metrics, "point_density_pct"), 100 * 12 / 150000.0, 1e-12);
}

// The seed's figure for 1000 points with a tenth dropped, on 0.15 m2: 0.6 %.
TEST(Score, PointDensityIsTheSeedsCount) {
  const PlaneTruth truth;
  EXPECT_NEAR(
      value_of(test::score_cloud(test::noisy_cloud_3d(truth, 900, 0.002, 8), truth), "point_density_pct"),
      0.6, 1e-12);
}

TEST(Score, CombinesBothWaysAsDefined) {
  const PlaneTruth truth;
  const MetricSet metrics = test::score_cloud(test::noisy_cloud(truth, 2000, 0.001, 0, 9), truth);
  EXPECT_DOUBLE_EQ(value_of(metrics, "chamfer_l1_mm"),
                   0.5 * (value_of(metrics, "accuracy_mean_mm") + value_of(metrics, "completeness_mean_mm")));
  const double p = value_of(metrics, "precision_2mm_pct"), r = value_of(metrics, "completeness_2mm_pct");
  EXPECT_DOUBLE_EQ(value_of(metrics, "fscore_2mm_pct"), 2 * p * r / (p + r));
  EXPECT_GE(value_of(metrics, "hausdorff_p95_mm"), value_of(metrics, "accuracy_p95_mm"));
  // With 75 mm2 a point the far side is completeness: its 95th percentile is sqrt(ln 20 / (pi lambda)).
  EXPECT_NEAR(value_of(metrics, "hausdorff_p95_mm"), 1000 * std::sqrt(std::log(20) / (3.14159 * 2000 / 0.15)),
              0.6);
}

TEST(Score, NamesFollowTheRegistryAndItsOrder) {
  const PlaneTruth truth;
  Reconstruction reconstruction{test::noisy_cloud(truth, 500, 0.001, 0, 10), truth.mesh(0.01), {}};
  reconstruction.cloud.normals.assign(500, Vec3(0, 0, -1));
  const auto two_views = [](std::span<const Vec3> p) { return std::vector<int>(p.size(), 2); };
  const MetricSet metrics = score_reconstruction(reconstruction, truth, {}, two_views).metrics;
  std::size_t place = 0;
  for (const MetricSpec& spec : metric_registry()) {
    if (spec.name.starts_with("depth_")) continue;  // of depth maps (metrics/score.h)
    // Of partial truths, and of recordings (harness/scoring/).
    if (spec.name.starts_with("points_outside_crop") || spec.name.starts_with("points_beyond_") ||
        spec.name.starts_with("points_left_out") || spec.name.starts_with("reprojection_") ||
        spec.name.starts_with("charuco_"))
      continue;
    if (spec.name.starts_with("holes_")) break;  // from here on of a diagnosis (metrics/diagnosis.h)
    ASSERT_LT(place, metrics.size());
    EXPECT_EQ(metrics[place].first, spec.name);
    EXPECT_EQ(metrics[place].second.unit, spec.unit);
    EXPECT_EQ(metrics[place].second.better, spec.better);
    ++place;
  }
  EXPECT_EQ(place, metrics.size());
}

TEST(Score, NoMetricIsLeftOutForAnEmptyCloud) {
  const PlaneTruth truth;
  const auto two_views = [](std::span<const Vec3> p) { return std::vector<int>(p.size(), 2); };
  const Reconstruction full{test::noisy_cloud(truth, 500, 0.001, 0, 10), {}, {}};
  const MetricSet without = score_reconstruction({}, truth, {}, two_views).metrics;
  for (const auto& [name, metric] : score_reconstruction(full, truth, {}, two_views).metrics)
    EXPECT_NE(find_metric(without, name), nullptr)
        << name
        << ": add it to the rows that are written as undefined (write_all_undefined in metrics/score.cc)";
}

TEST(Score, LeavesOutWhatThereIsNoDataFor) {
  const MetricSet metrics = test::score_cloud(lattice(PlaneTruth(), 0.01), PlaneTruth());
  for (const auto& [name, metric] : metrics)
    EXPECT_FALSE(name.starts_with("mesh_") || name.starts_with("normal_") ||
                 name.starts_with("completeness_seen2"))
        << name;
}

TEST(Score, TakesOtherTolerances) {
  ScoreOptions options;
  options.tolerances_m = {0.003, 0.00025};
  options.tiles = false;
  const MetricSet metrics = test::score_cloud(lattice(PlaneTruth(), 0.01), PlaneTruth(), options);
  EXPECT_EQ(value_of(metrics, "precision_0.25mm_pct"), 100);
  EXPECT_EQ(value_of(metrics, "precision_3mm_pct"), 100);
  EXPECT_EQ(find_metric(metrics, "precision_2mm_pct"), nullptr);
  EXPECT_EQ(find_metric(metrics, "tile_empty_pct"), nullptr);
}

TEST(Score, RefusesOptionsByName) {
  const auto message = [](auto&& change) {
    ScoreOptions options;
    change(options);
    return error_of(ErrorKind::usage, [&] { check(options); });
  };
  EXPECT_EQ(message([](ScoreOptions& o) { o.tolerances_m = {}; }), "tolerances_m: must not be empty");
  EXPECT_EQ(message([](ScoreOptions& o) {
              o.tolerances_m = {0.001, 0.001};
            }),
            "tolerances_m: a tolerance is given twice");
  EXPECT_EQ(message([](ScoreOptions& o) { o.tolerances_m = {-1}; }),
            "tolerances_m: must be a positive number, got -1");
  EXPECT_EQ(message([](ScoreOptions& o) { o.outlier_m = 0; }), "outlier_m: must be a positive number, got 0");
  EXPECT_EQ(message([](ScoreOptions& o) { o.sample_spacing_m = test::kNaN; }),
            "sample_spacing_m: must be a positive number, got nan");
  EXPECT_EQ(message([](ScoreOptions& o) { o.tile_m = -0.01; }),
            "tile_m: must be a positive number, got -0.01");
  ScoreOptions tiny;
  tiny.sample_spacing_m = 1e-6;
  EXPECT_THROW(score_reconstruction({}, PlaneTruth(), tiny), Error);
}

TEST(Score, RefusesArraysOfOtherLengths) {
  Reconstruction reconstruction;
  reconstruction.cloud.points_m.assign(3, Vec3(0, 0, 1));
  reconstruction.cloud.normals.assign(2, Vec3(0, 0, -1));
  EXPECT_THROW(score_reconstruction(reconstruction, PlaneTruth(), {}), Error);
  reconstruction.cloud.normals.clear();
  reconstruction.cloud.confidence.assign(4, 1.0F);
  EXPECT_THROW(score_reconstruction(reconstruction, PlaneTruth(), {}), Error);
}

// Splats have normals in their file, all of them zero: that is no angle of 180 degrees.
TEST(Score, NormalsThatAreAllZeroHaveNoAngle) {
  const PlaneTruth truth;
  Reconstruction reconstruction{test::noisy_cloud(truth, 500, 0.001, 0, 10), std::nullopt, {}};
  for (const Vec3& none : {Vec3(0, 0, 0), Vec3(test::kNaN, 0, 0)}) {
    reconstruction.cloud.normals.assign(500, none);
    const MetricSet metrics = score_reconstruction(reconstruction, truth, {}).metrics;
    for (const char* name : {"normal_mean_deg", "normal_median_deg", "normal_within_5deg_pct"})
      EXPECT_EQ(test::reason_of(metrics, name), "no scored point has a normal: all are zero or not finite");
  }
  reconstruction.cloud.normals[7] = truth.normal();
  const MetricSet one = score_reconstruction(reconstruction, truth, {}).metrics;
  EXPECT_NEAR(value_of(one, "normal_mean_deg"), 180.0 * 499 / 500, 1e-9);
}

}  // namespace
}  // namespace aqbench
