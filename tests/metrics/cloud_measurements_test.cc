// A cloud cut into blocks gives the bits of the same cloud in one piece: of any truth, order and region.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "metrics/cloud_measurements.h"
#include "metrics/score.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/registry.h"
#include "scenes/surfaces/mesh_surface.h"
#include "tests/core/on_threads.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

// Noise, points that are not finite, repeated ones, outliers and ones beyond the patch; with normals.
PointCloud varied_cloud(const Surface& truth, std::size_t count, unsigned seed) {
  PointCloud cloud = test::noisy_cloud_3d(truth, count, 0.002, seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> anywhere(-1, 1);
  for (std::size_t i = 0; i < count; i += 37) {
    Vec3& point = cloud.points_m[i];
    if (i % 5 == 0) point.x() = test::kNaN;
    if (i % 5 == 1) point = cloud.points_m[i + 1];
    if (i % 5 == 2) point.z() += 0.1 * anywhere(random);
    if (i % 5 == 3) point.x() += anywhere(random);
    if (i % 5 == 4) point.z() = test::kInfinity;
  }
  for (std::size_t i = 0; i < count; ++i)
    cloud.normals.push_back(Vec3(0.2 * anywhere(random), 0.2 * anywhere(random), -1).normalized());
  return cloud;
}

PointCloud shuffled(const PointCloud& cloud, unsigned seed) {
  std::vector<std::size_t> order(cloud.points_m.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  PointCloud result;
  for (const std::size_t i : order) {
    result.points_m.push_back(cloud.points_m[i]);
    result.normals.push_back(cloud.normals[i]);
  }
  return result;
}

void expect_same(const Score& one, const Score& other, const std::string& what) {
  ASSERT_EQ(one.metrics.size(), other.metrics.size()) << what;
  for (std::size_t i = 0; i < one.metrics.size(); ++i) {
    const auto& [name, metric] = one.metrics[i];
    EXPECT_EQ(name, other.metrics[i].first) << what;
    EXPECT_EQ(metric.reason, other.metrics[i].second.reason) << what << ' ' << name;
    ASSERT_EQ(metric.value.has_value(), other.metrics[i].second.value.has_value()) << what << ' ' << name;
    if (!metric.value) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*metric.value),
              std::bit_cast<std::uint64_t>(*other.metrics[i].second.value))
        << what << ' ' << name << ' ' << *metric.value;
  }
  EXPECT_EQ(tiles_to_csv(one.tiles), tiles_to_csv(other.tiles)) << what;
  EXPECT_EQ(one.counts.scored, other.counts.scored) << what;
  EXPECT_EQ(one.counts.left_out(), other.counts.left_out()) << what;
  EXPECT_EQ(one.counts.beyond_border, other.counts.beyond_border) << what;
  EXPECT_EQ(one.subset.size(), other.subset.size()) << what;
}

// In one block, on one thread, against small blocks of the cloud and of it in another order.
void expect_blocks_change_nothing(const Surface& truth, const ScoreOptions& options,
                                  const std::string& what) {
  const PointCloud cloud = varied_cloud(truth, 6000, 7);
  const auto score = [&](const PointCloud& points, const BlockSizes& sizes) {
    return score_blocks(SpanBlocks(points.points_m, points.normals), nullptr, truth, options, {}, sizes);
  };
  const auto [whole] = on_threads<1>([&] { return score(cloud, {}); });
  EXPECT_GT(whole.counts.scored, 1000u) << what;
  const auto [in_blocks] =
      on_threads<2>([&] { return score(cloud, {.whole = 100, .searched = 1711, .scored = 501}); });
  expect_same(whole, in_blocks, what + " in blocks");
  const auto [in_any_order] = on_threads<2>(
      [&] { return score(shuffled(cloud, 8), {.whole = 100, .searched = 5999, .scored = 2000}); });
  expect_same(whole, in_any_order, what + " shuffled");
}

TEST(CloudMeasurements, AreTheSameBitsInBlocksOfScenes) {
  expect_blocks_change_nothing(test::PlaneTruth(0.3), {}, "plane");
  expect_blocks_change_nothing(*make_scene("step", {}).truth.surface, {.sample_spacing_m = 0.002}, "step");
}

TEST(CloudMeasurements, AreTheSameBitsInBlocksOfMeshesAndScans) {
  const test::PlaneTruth plane(0.3);
  ScoreOptions options{.sample_spacing_m = 0.002};
  options.part.max_distance_m = 0.004;
  options.part.leave_out_beyond_border = true;
  expect_blocks_change_nothing(*make_mesh_surface(plane.mesh(0.02)), options, "mesh");
  std::vector<Scan> scans(1);
  scans[0].cloud = test::noisy_cloud(plane, 3000, 0, 0, 5);
  // A scan has no surface to take points from: the cloud is one of the plane.
  const auto scan = make_truth_cloud(scans);
  const PointCloud cloud = varied_cloud(plane, 6000, 9);
  const auto score = [&](const BlockSizes& sizes) {
    return score_blocks(SpanBlocks(cloud.points_m, cloud.normals), nullptr, *scan, options, {}, sizes);
  };
  expect_same(score({}), score({.whole = 1, .searched = 1000, .scored = 999}), "scan");
}

TEST(CloudMeasurements, AreTheSameBitsInBlocksOfAPart) {
  ScoreOptions options{.tolerances_m = {0.001}, .sample_spacing_m = 0.002};
  options.part.max_distance_m = 0.003;
  add_crop(options.part.crop, "box:-0.2,-0.1,0,0.1,0.1,2", 1);
  expect_blocks_change_nothing(test::PlaneTruth(), options, "part");
}

TEST(CloudMeasurements, OfBlocksWithoutAFinitePointAreUndefined) {
  const std::vector<Vec3> points(5, Vec3(test::kNaN, 0, 0));
  const Score score = score_blocks(SpanBlocks(points), nullptr, test::PlaneTruth(), {}, {},
                                   {.whole = 1, .searched = 2, .scored = 2});
  EXPECT_EQ(test::value_of(score.metrics, "points_non_finite"), 5);
  EXPECT_EQ(test::reason_of(score.metrics, "accuracy_mean_mm"), "no finite points");
  EXPECT_EQ(test::reason_of(score.metrics, "completeness_2mm_pct"), "no finite points");
}

TEST(ScoredSubset, GoesThroughScoredPointsBlockByBlock) {
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
  const SpanBlocks cloud(points);
  for (const std::size_t longest : {2u, 5u}) {
    ScoredSubset subset(points.size(), longest);
    cloud.read(longest, [&](const CloudBlock& block) {
      std::vector<std::uint32_t> index;
      for (std::uint32_t i = 0; i < block.points_m.size(); ++i)
        if (block.points_m[i].x() != 1 && block.points_m[i].x() != 2) index.push_back(i);
      subset.add(block, index);
    });
    EXPECT_EQ(subset.size(), 3u);
    std::vector<double> found;
    subset.of(cloud)([&](std::span<const Vec3> of_block, std::span<const std::uint32_t> index) {
      for (const std::uint32_t i : index) found.push_back(of_block[i].x());
    });
    EXPECT_EQ(found, (std::vector<double>{0, 3, 4})) << longest;
  }
}

std::optional<PlaneFit> fit_chosen(const std::vector<Vec3>& points, const std::vector<std::uint32_t>& index) {
  return fit_plane([&](const auto& body) { body(points, index); });
}

std::optional<PlaneFit> fit_all(const std::vector<Vec3>& points) {
  std::vector<std::uint32_t> index(points.size());
  std::iota(index.begin(), index.end(), 0U);
  return fit_chosen(points, index);
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
  const auto fit = fit_chosen(points, {0, 2, 3});
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
