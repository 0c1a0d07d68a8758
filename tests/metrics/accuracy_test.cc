// Accuracy of clouds with known bias and noise, against the closed forms of docs/metrics.md.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "metrics/scored_points.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::normal_cdf;
using test::PlaneTruth;
using test::value_of;

ScoreOptions coarse() {
  ScoreOptions options;
  options.sample_spacing_m = 0.005;  // completeness is tested elsewhere
  return options;
}

// E|b + sigma n| in the units of its arguments.
double folded_mean(double bias, double sigma) {
  return sigma * std::sqrt(2 / std::numbers::pi) * std::exp(-bias * bias / (2 * sigma * sigma)) +
         bias * std::erf(bias / (sigma * std::numbers::sqrt2));
}

double folded_cdf(double limit, double bias, double sigma) {
  return normal_cdf((limit - bias) / sigma) - normal_cdf((-limit - bias) / sigma);
}

struct BiasAndNoise {
  double bias_mm, sigma_mm, slope;
};

class AccuracyOfNoise : public testing::TestWithParam<BiasAndNoise> {};

TEST_P(AccuracyOfNoise, AgreesWithTheClosedFormsWithinFourStandardErrors) {
  const auto [bias, sigma, slope] = GetParam();
  const PlaneTruth truth(slope);
  constexpr std::size_t kPoints = 200000;
  const double root_n = std::sqrt(static_cast<double>(kPoints));
  const MetricSet metrics =
      test::score_cloud(test::noisy_cloud(truth, kPoints, sigma / 1000, bias / 1000, 42), truth, coarse());

  const double mean = folded_mean(bias, sigma), rms = std::hypot(sigma, bias);
  const double mean_error = std::sqrt(rms * rms - mean * mean) / root_n;
  // Var(x^2) = 2 sigma^4 + 4 b^2 sigma^2 and the delta method.
  const double rms_error =
      std::sqrt(2 * std::pow(sigma, 4) + 4 * bias * bias * sigma * sigma) / (2 * rms * root_n);
  EXPECT_NEAR(value_of(metrics, "accuracy_mean_mm"), mean, 4 * mean_error);
  EXPECT_NEAR(value_of(metrics, "accuracy_rmse_mm"), rms, 4 * rms_error);
  EXPECT_NEAR(value_of(metrics, "bias_mean_mm"), bias, 4 * sigma / root_n);
  EXPECT_NEAR(value_of(metrics, "bias_median_mm"), bias, 4 * 1.2533 * sigma / root_n);
  EXPECT_NEAR(value_of(metrics, "nmad_mm"), sigma, 4 * 1.167 * sigma / root_n);
  for (const double t : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    const double share = folded_cdf(t, bias, sigma);
    const double error = std::sqrt(share * (1 - share)) / root_n;
    EXPECT_NEAR(value_of(metrics, fmt::format("precision_{:g}mm_pct", t)), 100 * share, 400 * error + 1e-6)
        << t;
  }
  // A quantile's value x must have the share q below it: its standard error in share is known exactly.
  for (const auto& [name, q] : {std::pair{"median", 0.5}, {"p90", 0.90}, {"p95", 0.95}}) {
    const double x = value_of(metrics, fmt::format("accuracy_{}_mm", name));
    EXPECT_NEAR(folded_cdf(x, bias, sigma), q, 4 * std::sqrt(q * (1 - q)) / root_n) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, AccuracyOfNoise,
                         testing::Values(BiasAndNoise{0, 1, 0}, BiasAndNoise{0, 2, 0},
                                         BiasAndNoise{1.5, 1, 0}, BiasAndNoise{-3, 0.5, 0},
                                         BiasAndNoise{0.7, 2, 0.5}));

TEST(Accuracy, OfUnbiasedNoiseHasTheTextbookQuantiles) {
  const PlaneTruth truth;
  const MetricSet metrics = test::score_cloud(test::noisy_cloud(truth, 400000, 0.001, 0, 7), truth, coarse());
  const double root_n = std::sqrt(4e5);
  EXPECT_NEAR(value_of(metrics, "accuracy_mean_mm"), 0.7979, 4 * 0.6028 / root_n);
  EXPECT_NEAR(value_of(metrics, "accuracy_median_mm"), 0.6745, 4 * 0.787 / root_n);
  EXPECT_NEAR(value_of(metrics, "accuracy_p90_mm"), 1.645, 4 * 1.45 / root_n);
  EXPECT_NEAR(value_of(metrics, "accuracy_p95_mm"), 1.960, 4 * 1.86 / root_n);
  EXPECT_NEAR(value_of(metrics, "accuracy_rmse_mm"), 1, 4 / std::sqrt(2 * 4e5));
}

TEST(Accuracy, OfAFiveMillimetreOffsetIsFiveMillimetres) {
  for (const double offset_mm : {5.0, -5.0}) {
    const PlaneTruth truth;
    const MetricSet metrics =
        test::score_cloud(test::noisy_cloud(truth, 5000, 0, offset_mm / 1000, 1), truth, coarse());
    for (const char* name : {"mean", "median", "rmse", "p90", "p95", "max"})
      EXPECT_NEAR(value_of(metrics, fmt::format("accuracy_{}_mm", name)), 5, 1e-9) << name;
    EXPECT_NEAR(value_of(metrics, "bias_mean_mm"), offset_mm, 1e-9);
    EXPECT_NEAR(value_of(metrics, "bias_median_mm"), offset_mm, 1e-9);
    EXPECT_NEAR(value_of(metrics, "nmad_mm"), 0, 1e-9);
  }
}

TEST(Accuracy, IsPositiveTowardsTheCameras) {
  const PlaneTruth truth;
  PointCloud cloud;
  cloud.points_m = {
      {0, 0, PlaneTruth::kDepthM - 0.001}};  // +Z points down: a smaller z is nearer the cameras
  EXPECT_NEAR(value_of(test::score_cloud(cloud, truth, coarse()), "bias_mean_mm"), 1, 1e-9);
}

// Sampled truth would put a floor of 0.38 of its spacing under the error of a perfect cloud: 0.25 mm here.
TEST(Accuracy, OfAPerfectCloudHasNoSamplingFloor) {
  const PlaneTruth truth(0.3);
  const MetricSet metrics = test::score_cloud(test::noisy_cloud(truth, 20000, 0, 0, 3), truth, coarse());
  EXPECT_LT(value_of(metrics, "accuracy_mean_mm"), 1e-9);
  EXPECT_LT(value_of(metrics, "accuracy_max_mm"), 1e-9);
}

// Depth hypotheses every D without refinement leave errors uniform in +-D/2.
TEST(Accuracy, OfDepthStepsIsAQuarterStep) {
  const PlaneTruth truth;
  constexpr std::size_t kPoints = 100000;
  constexpr double kStepM = 0.004;
  PointCloud cloud = test::noisy_cloud(truth, kPoints, 0, 0, 4);
  for (std::size_t i = 0; i < kPoints; ++i)
    cloud.points_m[i].z() += kStepM * (uniform01({4, RandomStream::dropout}, i) - 0.5);
  const MetricSet metrics = test::score_cloud(cloud, truth, coarse());
  const double root_n = std::sqrt(static_cast<double>(kPoints));
  EXPECT_NEAR(value_of(metrics, "accuracy_mean_mm"), 1.0, 4 * (1 / std::sqrt(3.0)) / root_n);
  EXPECT_NEAR(value_of(metrics, "accuracy_rmse_mm"), 4 / std::sqrt(12.0), 4 * 0.52 / root_n);
}

// Noise on three axes carries points over the patch's edge: measured to the cut edge its mean would be 0.801
// sigma at sigma = 2 mm; to the surface going on, over the points inside, it is 0.798.
TEST(Accuracy, GoesToTheSurfaceBeyondTheEdge) {
  const PlaneTruth truth;
  constexpr std::size_t kPoints = 400000;
  const MetricSet metrics =
      test::score_cloud(test::noisy_cloud_3d(truth, kPoints, 0.002, 5), truth, coarse());
  const double outside = value_of(metrics, "points_outside_patch");
  // Through each of the sides leave sigma / sqrt(2 pi) per length: 1.6 m of sides on 0.15 m2.
  const double expected = kPoints * 1.6 / 0.15 * 0.002 / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(outside, expected, 4 * std::sqrt(expected) + 0.01 * expected);
  EXPECT_NEAR(value_of(metrics, "accuracy_mean_mm"), 2 * 0.79788,
              4 * 2 * 0.6028 / std::sqrt(kPoints - outside));
}

TEST(Accuracy, CountsGrossOutliers) {
  const PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 1000, 0, 0, 6);
  for (std::size_t i = 0; i < 30; ++i) cloud.points_m[i].z() -= 0.021;
  for (std::size_t i = 30; i < 50; ++i) cloud.points_m[i].z() += 0.019;  // not gross
  const MetricSet metrics = test::score_cloud(cloud, truth, coarse());
  EXPECT_DOUBLE_EQ(value_of(metrics, "outlier_ratio_pct"), 3);
}

TEST(Accuracy, CountsAToleranceAsWithin) {
  const std::vector<double> errors_m = {0.002, -0.002, 0.0020001, 0};
  EXPECT_EQ(share_within_pct(errors_m, 0.002), 75);
  EXPECT_EQ(share_beyond_pct(errors_m, 0.002), 25);
}

TEST(ScoredPoints, SplitsThePointsByThePatchAtAnyHeight) {
  const PlaneTruth truth;
  const std::vector<Vec3> points = {{0, 0, 1.178},      {0.25, 0.15, 1.178},     {-0.25, -0.15, -50},
                                    {0.2501, 0, 1.178}, {0, -0.16, 1.178},       {0, 0, test::kNaN},
                                    {0, 0, 1e9},        {test::kInfinity, 0, 0}, {0.1, 0.1, 1.170}};
  const ScoredPoints scored = score_points(points, truth);
  EXPECT_EQ(scored.index, (std::vector<std::uint32_t>{0, 1, 2, 6, 8}));
  EXPECT_EQ(scored.counts.outside_patch, 2U);
  EXPECT_EQ(scored.counts.non_finite, 2U);
  EXPECT_NEAR(scored.signed_error_m[2], 51.178, 1e-12);
  EXPECT_NEAR(scored.signed_error_m[3], 1.178 - 1e9, 1e-3);
}

TEST(NormalErrors, AreAnglesToTheNormalTowardsTheCameras) {
  const PlaneTruth truth;
  PointCloud cloud;
  const double angles_deg[] = {0, 3, 10, 20, 90, 180};
  for (const double angle : angles_deg) {
    cloud.points_m.emplace_back(0.01, 0.02, PlaneTruth::kDepthM);
    const double radians = angle * std::numbers::pi / 180;
    cloud.normals.emplace_back(std::sin(radians), 0, -std::cos(radians));
  }
  const MetricSet metrics = test::score_cloud(cloud, truth, coarse());
  EXPECT_NEAR(value_of(metrics, "normal_mean_deg"), 303.0 / 6, 1e-9);
  EXPECT_NEAR(value_of(metrics, "normal_median_deg"), 15, 1e-9);
  EXPECT_NEAR(value_of(metrics, "normal_within_5deg_pct"), 100.0 * 2 / 6, 1e-9);
  EXPECT_NEAR(value_of(metrics, "normal_within_11.25deg_pct"), 50, 1e-9);
  EXPECT_NEAR(value_of(metrics, "normal_within_22.5deg_pct"), 100.0 * 4 / 6, 1e-9);
}

TEST(NormalErrors, CountANormalThatIsNoneAsOpposite) {
  const PlaneTruth truth;
  PointCloud cloud;
  cloud.points_m.assign(3, truth.at(0, 0));
  cloud.normals = {Vec3::Zero(), Vec3(0, test::kNaN, 0), truth.normal()};
  EXPECT_NEAR(value_of(test::score_cloud(cloud, truth, coarse()), "normal_mean_deg"), 120, 1e-9);
}

// Points in steps of 1 mm, as text: 1.168, 1.169, ... 1.188 over a plane at 1.178. In doubles 1.18 - 1.178 is
// above 0.002; by counting in whole millimetres it is 2.
TEST(Accuracy, ADistanceThatEqualsTheToleranceInDecimalsIsWithinIt) {
  EXPECT_GT(1.18 - 1.178, 0.002);
  PointCloud cloud;
  for (int z_mm = 1168; z_mm <= 1188; ++z_mm) cloud.points_m.emplace_back(0, 0, z_mm / 1000.0);
  ScoreOptions options = coarse();
  options.outlier_m = 0.009;
  const MetricSet metrics = test::score_cloud(cloud, PlaneTruth(), options);
  for (const int t_mm : {1, 2, 5, 10})
    EXPECT_DOUBLE_EQ(value_of(metrics, fmt::format("precision_{}mm_pct", t_mm)), 100 * (2 * t_mm + 1) / 21.0)
        << t_mm;
  EXPECT_DOUBLE_EQ(value_of(metrics, "outlier_ratio_9mm_pct"), 100 * 2 / 21.0);
  options.part.max_distance_m = 0.002;
  EXPECT_EQ(value_of(test::score_cloud(cloud, PlaneTruth(), options), "points_beyond_max_distance"), 16);
}

}  // namespace
}  // namespace aqbench
