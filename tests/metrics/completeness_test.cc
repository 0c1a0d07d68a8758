#include "metrics/completeness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/registry.h"
#include "scenes/surfaces/mesh_surface.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::PlaneTruth;
using test::value_of;

Completeness measured(const PointCloud& cloud, const Surface& truth, double spacing_m, std::uint64_t seed) {
  const std::span<const Vec3> points_m = cloud.points_m;
  return measure_completeness(SpanBlocks(points_m), points_m.size(), truth, spacing_m, seed).value();
}

// Area in which a point of noise s along the normal is within r of a place on the plane (docs/metrics.md).
double reach_area(double r, double s) {
  if (s == 0) return std::numbers::pi * r * r;
  return std::numbers::pi * ((r * r - s * s) * std::erf(r / (s * std::numbers::sqrt2)) +
                             s * r * std::sqrt(2 / std::numbers::pi) * std::exp(-r * r / (2 * s * s)));
}

// Scores of clouds of `points` (3000: 20000 per m2), one for each seed.
std::vector<MetricSet> scores_over_seeds(double sigma_m, std::size_t seeds, std::size_t points = 3000) {
  const PlaneTruth truth;
  ScoreOptions options;
  options.tiles = false;
  options.sample_spacing_m = 0.001;
  std::vector<MetricSet> scores(seeds);
  for (std::size_t seed = 0; seed < seeds; ++seed)
    scores[seed] =
        test::score_cloud(test::noisy_cloud(truth, points, sigma_m, 0, seed + 100), truth, options);
  return scores;
}

constexpr std::size_t kSeeds = 24;
const std::vector<MetricSet>& scores_without_noise() {
  static const std::vector<MetricSet> scores = scores_over_seeds(0, kSeeds);
  return scores;
}

struct Mean {
  double value, standard_error;
};
Mean mean_of(const std::vector<MetricSet>& scores, const char* name) {
  double sum = 0, squares = 0;
  for (const MetricSet& metrics : scores) {
    const double value = value_of(metrics, name);
    sum += value;
    squares += value * value;
  }
  const double count = static_cast<double>(scores.size()), mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / (count - 1))};
}

// Standard deviation of the share of an area that discs of radius r about `lambda` random places a unit area
// leave uncovered: the two-point coverage probability of a Boolean model (Hall, "Introduction to the Theory
// of Coverage Processes", 1988, section 3.2). For a fixed number of discs their count's part is taken off.
double coverage_sd(double r, double lambda, double area, bool fixed_count) {
  constexpr int kSteps = 20000;
  const double discs = lambda * std::numbers::pi * r * r;
  double integral = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double h = 2 * r * (i + 0.5) / kSteps;
    const double overlap = 2 * r * r * std::acos(h / (2 * r)) - h / 2 * std::sqrt(4 * r * r - h * h);
    integral += (std::exp(lambda * overlap) - 1) * 2 * std::numbers::pi * h * 2 * r / kSteps;
  }
  const double variance = std::exp(-2 * discs) * integral / area;
  const double by_count = std::pow(discs * std::exp(-discs), 2) / (lambda * area);
  return std::sqrt(fixed_count ? variance - by_count : variance);
}

TEST(Completeness, OfRandomPointsFollowsTheClosedForm) {
  const Mean interior = mean_of(scores_without_noise(), "completeness_inset_5mm_pct");
  EXPECT_NEAR(interior.value, 79.21, 4 * interior.standard_error);
  EXPECT_NEAR(100 * (1 - std::exp(-20000 * reach_area(0.005, 0))), 79.21, 0.005);
  const Mean whole = mean_of(scores_without_noise(), "completeness_5mm_pct");
  EXPECT_NEAR(whole.value, 78.73, 4 * whole.standard_error);
}

// Samples within r of each other share points, so a binomial standard error (0.11 % for these 150000 samples)
// is far too small: about 7 times where the number of points is random, 4 times where it is fixed as here.
TEST(Completeness, SpreadsFarMoreThanABinomialShare) {
  EXPECT_NEAR(coverage_sd(0.005, 20000, 0.15, false), 0.0078, 0.0008);
  const double expected_pct = 100 * coverage_sd(0.005, 20000, 0.15, true);
  const double measured_pct = mean_of(scores_without_noise(), "completeness_5mm_pct").standard_error *
                              std::sqrt(static_cast<double>(kSeeds));
  EXPECT_NEAR(measured_pct, expected_pct, 4 * expected_pct / std::sqrt(2.0 * static_cast<double>(kSeeds)));
  EXPECT_GT(measured_pct, 2 * 100 * std::sqrt(0.787 * 0.213 / 150000));
}

TEST(Completeness, OfNoisyPointsFollowsTheClosedForm) {
  for (const double sigma_m : {0.001, 0.002}) {
    const Mean interior = mean_of(scores_over_seeds(sigma_m, 10), "completeness_inset_5mm_pct");
    const double expected = 100 * (1 - std::exp(-20000 * reach_area(0.005, sigma_m)));
    EXPECT_NEAR(interior.value, expected, 4 * interior.standard_error) << sigma_m;
  }
}

TEST(Completeness, WithDropoutIsThatOfTheDensityLeft) {
  constexpr std::size_t kLeft = 2700;  // a tenth dropped of 3000
  const Mean interior = mean_of(scores_over_seeds(0, 10, kLeft), "completeness_inset_5mm_pct");
  EXPECT_NEAR(interior.value, 100 * (1 - std::exp(-0.9 * 20000 * reach_area(0.005, 0))),
              4 * interior.standard_error);
}

TEST(Completeness, MeanDistanceIsHalfTheInverseRootOfTheDensity) {
  // Edges add to it: a patch so large against the spacing (1 mm) that this is below 1 %.
  constexpr std::size_t kPoints = 150000;
  const Mean mean = mean_of(scores_over_seeds(0, 4, kPoints), "completeness_mean_mm");
  const double expected = 1000 / (2 * std::sqrt(kPoints / 0.15));
  EXPECT_NEAR(mean.value, expected, 4 * mean.standard_error + 0.005 * expected);
}

TEST(Completeness, OfHalfAPlaneIsFiftyPercent) {
  const PlaneTruth truth;
  PointCloud cloud;  // a lattice of 1 mm on the half x < 0
  for (double x = -0.2495; x < 0; x += 0.001) {
    for (double y = -0.1495; y < 0.15; y += 0.001) cloud.points_m.push_back(truth.at(x, y));
  }
  const MetricSet metrics = test::score_cloud(cloud, truth);
  // The last column stands at -0.5 mm; what it reaches beyond x = 0 is known, and so is the share.
  EXPECT_NEAR(value_of(metrics, "completeness_1mm_pct"), 50, 0.2);
  EXPECT_NEAR(value_of(metrics, "completeness_0.5mm_pct"), 50 * std::numbers::pi / 4, 0.3);
  EXPECT_NEAR(value_of(metrics, "completeness_10mm_pct"), 50 + 100 * 0.0095 / 0.5, 0.1);
  EXPECT_NEAR(value_of(metrics, "precision_0.5mm_pct"), 100, 0);
  EXPECT_NEAR(value_of(metrics, "fscore_1mm_pct"), 2 * 100 * 50 / 150.0, 0.2);
  // Distances over the missing half run from 0 to a quarter metre: 1/2 (1/2 x 0.25 m).
  EXPECT_NEAR(value_of(metrics, "completeness_mean_mm"), 62.9, 0.5);
}

// All tolerances in one walk give, bit for bit, what a walk for each gives.
TEST(Completeness, SharesAgreeWithOneToleranceAfterTheOther) {
  const auto truth = make_scene("undulating", {}).truth.surface;
  const Patch& patch = *truth->patch();
  const Completeness drawn = measured(test::noisy_cloud(*truth, 3000, 0, 0.001, 5), *truth, 0.002, 1);
  const std::vector<double> tolerances_m = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.003, 0.004, 0.03, 1};
  const std::vector<CompletenessShare> shares = completeness_shares(drawn, tolerances_m, &patch);
  ASSERT_EQ(shares.size(), tolerances_m.size());
  for (std::size_t t = 0; t < shares.size(); ++t) {
    const double m = tolerances_m[t];
    const Patch inset{patch.x_min_m + m, patch.x_max_m - m, patch.y_min_m + m, patch.y_max_m - m};
    const auto inside = [&](std::size_t i) {
      return inset.contains(drawn.samples->positions_m[i].x(), drawn.samples->positions_m[i].y());
    };
    EXPECT_EQ(shares[t].all_pct, completeness_pct(drawn, m, [](std::size_t) { return true; })) << m;
    EXPECT_EQ(shares[t].inset_pct, completeness_pct(drawn, m, inside)) << m;
  }
  EXPECT_FALSE(shares.back().inset_pct);  // nothing is left of the patch
}

TEST(Completeness, OfAllIsExactlyAHundred) {
  for (int i = 1; i < 2000; ++i) EXPECT_EQ(area_share_pct(1e-3 * i, 1e-3 * i), 100) << i;
  EXPECT_EQ(area_share_pct(1, 4), 25);
  EXPECT_EQ(area_share_pct(0, 0), std::nullopt);
}

TEST(Completeness, IsWeightedByArea) {
  Completeness completeness;
  SurfaceSamples samples;
  samples.positions_m.assign(3, Vec3::Zero());
  samples.weights = {1, 2, 7};
  completeness.samples = std::make_shared<SurfaceSamples>(samples);
  completeness.distance_m = {0.001, 0.002, 0.003};
  const auto all = [](std::size_t) { return true; };
  EXPECT_DOUBLE_EQ(completeness_pct(completeness, 0.002, all).value(), 30);
  EXPECT_DOUBLE_EQ(completeness_pct(completeness, 0.0019, all).value(), 10);
  EXPECT_DOUBLE_EQ(completeness_pct(completeness, 0.002, [](std::size_t i) { return i != 0; }).value(),
                   200.0 / 9);
  EXPECT_FALSE(completeness_pct(completeness, 0.002, [](std::size_t) { return false; }));
  EXPECT_EQ(completeness_shares(completeness, {{0.002}}, nullptr).at(0).all_pct,
            completeness_pct(completeness, 0.002, all));
  const CompletenessSummary summary = summarize_completeness(completeness);
  EXPECT_DOUBLE_EQ(summary.mean_m, 0.0026);
  EXPECT_EQ(summary.median_m, 0.003);
}

// Points beyond the edge reach samples inside it, whether or not they are scored themselves.
TEST(Completeness, CountsPointsBesideThePatch) {
  const PlaneTruth truth;
  PointCloud cloud;
  for (double y = -0.16; y < 0.16; y += 0.0005) cloud.points_m.push_back(truth.at(0.251, y));
  const MetricSet metrics = test::score_cloud(cloud, truth);
  EXPECT_NEAR(value_of(metrics, "completeness_5mm_pct"), 100 * 0.004 / 0.5, 0.02);
  EXPECT_EQ(test::reason_of(metrics, "accuracy_mean_mm"), "no points inside the patch");
  EXPECT_EQ(test::reason_of(metrics, "fscore_5mm_pct"), "no points inside the patch");
}

TEST(Completeness, SeenByTwoCamerasIsOverThosePartsAlone) {
  const PlaneTruth truth;
  PointCloud cloud;  // covers x < 0
  for (double x = -0.2495; x < 0; x += 0.001) {
    for (double y = -0.1495; y < 0.15; y += 0.001) cloud.points_m.push_back(truth.at(x, y));
  }
  const Reconstruction reconstruction{cloud, {}, {}};
  const auto seen_where = [&](double x_limit) {
    return [x_limit](std::span<const Vec3> positions_m) {
      std::vector<int> views;
      for (const Vec3& position : positions_m) views.push_back(position.x() < x_limit ? 2 : 1);
      return views;
    };
  };
  const auto seen_pct = [&](const ViewCounter& views) {
    return value_of(score_reconstruction(reconstruction, truth, {}, views).metrics,
                    "completeness_seen2_1mm_pct");
  };
  EXPECT_DOUBLE_EQ(seen_pct(seen_where(-0.001)), 100);
  EXPECT_NEAR(seen_pct(seen_where(0.125)), 100 * 0.25 / 0.375, 0.3);
  const MetricSet none = score_reconstruction(reconstruction, truth, {}, seen_where(-1)).metrics;
  EXPECT_EQ(test::reason_of(none, "completeness_seen2_1mm_pct"),
            "no part of the patch is seen by two cameras");
  EXPECT_EQ(find_metric(test::score_cloud(cloud, truth), "completeness_seen2_1mm_pct"), nullptr);
  const auto too_few = [](std::span<const Vec3>) { return std::vector<int>{2}; };
  EXPECT_THROW(score_reconstruction(reconstruction, truth, {}, too_few), Error);
}

// The same cloud against other samples of the same truth: how completeness scatters is what is said of one of
// them, a little less as it is an upper estimate, and far less than of samples drawn alone.
TEST(Completeness, SaysHowFarItsSamplesMayMisleadIt) {
  const PlaneTruth plane;
  const PointCloud cloud = test::noisy_cloud(plane, 3000, 0, 0, 7);
  const auto mesh = make_mesh_surface(plane.mesh(0.01));
  for (const Surface* const truth :
       {static_cast<const Surface*>(&plane), static_cast<const Surface*>(mesh.get())}) {
    for (const double spacing_m : {0.002, 0.0015}) {
      constexpr std::size_t kDraws = 60;
      double sum = 0, squares = 0, said = 0, samples = 0;
      for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
        const Completeness drawn = measured(cloud, *truth, spacing_m, seed);
        const double pct = *completeness_pct(drawn, 0.004, [](std::size_t) { return true; });
        sum += pct;
        squares += pct * pct;
        said += sampling_se_pct(drawn, {{0.004}}).at(0) / kDraws;
        samples = static_cast<double>(drawn.distance_m.size());
      }
      const double mean = sum / kDraws, scatter = std::sqrt((squares - kDraws * mean * mean) / (kDraws - 1));
      const double alone = std::sqrt(mean * (100 - mean) / samples);
      EXPECT_GT(said, 0.8 * scatter) << spacing_m;  // the scatter of 60 draws is known to 9 %
      EXPECT_LT(said, 1.8 * scatter) << spacing_m;
      EXPECT_LT(said, 0.8 * alone) << spacing_m;
    }
  }
}

// A scan of which every point is a sample is not sampled.
TEST(Completeness, OfAllPointsOfAScanHasNoErrorOfSampling) {
  const PlaneTruth plane;
  const PointCloud scan = test::noisy_cloud(plane, 4000, 0, 0, 3),
                   cloud = test::noisy_cloud(plane, 900, 0, 0, 4);
  const auto truth = make_truth_cloud({Scan{scan, std::nullopt, "scan"}});
  const Completeness all = measured(cloud, *truth, 1e-6, 1);
  EXPECT_FALSE(all.is_thinned);
  EXPECT_EQ(all.distance_m.size(), 4000U);
  EXPECT_EQ(sampling_se_pct(all, {{0.004}}).at(0), 0);
  const Completeness some = measured(cloud, *truth, 0.01, 1);
  EXPECT_TRUE(some.is_thinned);
  EXPECT_EQ(some.samples->of_points, 4000U);
  EXPECT_GT(sampling_se_pct(some, {{0.004}}).at(0), 0.1);
}

}  // namespace
}  // namespace aqbench
