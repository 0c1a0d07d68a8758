// Point maps: what each alignment takes away, and closed forms.

#include "metrics/protocols/point_maps.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "scenes/cloud/reconstruction.h"
#include "tests/metrics/protocols/values.h"

namespace aqbench::test {
namespace {

constexpr std::size_t kViews = 2, kHeight = 12, kWidth = 10;

// A bent surface before two cameras.
std::vector<double> true_points() {
  std::vector<double> points;
  for (std::size_t view = 0; view < kViews; ++view)
    for (std::size_t y = 0; y < kHeight; ++y)
      for (std::size_t x = 0; x < kWidth; ++x) {
        const double u = 0.1 * static_cast<double>(x) + 0.37 * static_cast<double>(view);
        const double v = 0.1 * static_cast<double>(y);
        for (const double coordinate : {u, v, 2 + 0.2 * std::sin(2 * u) + 0.1 * v * v})
          points.push_back(static_cast<float>(coordinate));
      }
  return points;
}

template <class Move>
std::vector<double> moved(std::vector<double> points, const Move& move) {
  for (std::size_t i = 0; i < points.size(); i += 3) {
    const Vec3 to = move(Vec3(points[i], points[i + 1], points[i + 2]));
    for (const int k : {0, 1, 2}) points[i + static_cast<std::size_t>(k)] = to[k];
  }
  return points;
}

ProtocolResult errors_of_maps(const std::vector<double>& predicted, const std::vector<double>& truth,
                              const PointMapKnobs& knobs = {}) {
  return point_map_errors({kViews, kHeight, kWidth, predicted, truth}, knobs);
}

TEST(PointMaps, ASimilarityOfAllPixelsIsTakenAway) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.2, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const std::vector<double> truth = true_points();
  const ProtocolResult result = errors_of_maps(
      moved(truth, [&](const Vec3& p) -> Vec3 { return 2.5 * (turn * p) + Vec3(1, 0, -3); }), truth);
  for (const char* const name : {"accuracy_mean", "accuracy_median", "completeness_mean", "icp_rmse"})
    EXPECT_NEAR(number(result, name), 0, 1e-6) << name;
  EXPECT_NEAR(number(result, "scale"), 1 / 2.5, 1e-6);
  EXPECT_NEAR(number(result, "normals_consistency_mean"), 1, 1e-6);
  EXPECT_EQ(number(result, "icp_fitness"), 1);
}

TEST(PointMaps, MediansTakeAwayScaleAndDepthButNoTurn) {
  const std::vector<double> truth = true_points();
  PointMapKnobs knobs{.align = PointMapAlignment::scale_shift, .icp_m = 0};
  const auto scaled = [](const Vec3& p) -> Vec3 { return 0.5 * p + Vec3(0, 0, 0.7); };
  EXPECT_NEAR(number(errors_of_maps(moved(truth, scaled), truth, knobs), "accuracy_mean"), 0, 1e-6);
  EXPECT_NEAR(number(errors_of_maps(moved(truth, scaled), truth, knobs), "scale"), 2, 1e-6);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.02, Vec3::UnitY()).toRotationMatrix();
  const std::vector<double> turned = moved(truth, [&](const Vec3& p) -> Vec3 { return turn * p; });
  const double before = number(errors_of_maps(turned, truth, knobs), "accuracy_mean");
  EXPECT_GT(before, 1e-3);
  knobs.icp_m = 0.1;
  EXPECT_LT(number(errors_of_maps(turned, truth, knobs), "accuracy_mean"), 0.3 * before);
}

TEST(PointMaps, DistancesGoToTheNearestPointOfTheOtherSide) {
  // Two points a view, the prediction shifted along the line by 0.25: nearest distances 0.25 but for the
  // last.
  const std::vector<double> truth = {0, 0, 1, 1, 0, 1, 2, 0, 1},
                            predicted = {0.25F, 0, 1, 1.25F, 0, 1, 2.75F, 0, 1};
  const ProtocolResult result =
      point_map_errors({1, 1, 3, predicted, truth}, {.align = PointMapAlignment::none, .icp_m = 0});
  EXPECT_DOUBLE_EQ(number(result, "accuracy_mean"), (0.25 + 0.25 + 0.75) / 3);
  EXPECT_DOUBLE_EQ(number(result, "completeness_mean"), (0.25 + 0.25 + 0.75) / 3);
  EXPECT_DOUBLE_EQ(number(result, "accuracy_median"), 0.25);
}

TEST(PointMaps, NormedErrorsAreMeansOfViews) {
  // Mean distances 2 and 4; after division 0.5, 1, 1.5 and 0.5, 1, 1.5.
  const std::vector<double> truth = {0, 0, 1, 0, 0, 2, 0, 0, 3}, predicted = {0, 0, 2, 0, 0, 4, 0, 6, 0};
  const PointMapKnobs knobs = find_protocol(point_map_protocols(), "point-maps-normed")->knobs;
  const ProtocolResult one = point_map_errors({1, 1, 3, predicted, truth}, knobs);
  EXPECT_NEAR(number(one, "abs_rel"), std::sqrt(2.0) / 3, 1e-8);
  EXPECT_EQ(number(one, "inlier_1.03"), 1);  // a turn about the camera changes no distance from it
  EXPECT_NEAR(number(one, "scale_error"), 1, 1e-7);
  const ProtocolResult three = point_map_errors({3, 1, 1, predicted, truth}, knobs);
  EXPECT_NEAR(number(three, "abs_rel"), std::sqrt(2.0) / 3, 1e-8);
}

TEST(PointMaps, ABadPredictionIsDroppedOrMakesEverythingPerfectAsPublished) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> truth = {0, 0, 1, 0, 0, 2}, predicted = {0, 0, 1, none, 0, 2};
  PointMapKnobs knobs = find_protocol(point_map_protocols(), "point-maps-normed")->knobs;
  const ProtocolResult published = point_map_errors({1, 1, 2, predicted, truth}, knobs);
  EXPECT_EQ(number(published, "abs_rel"), 0);
  EXPECT_EQ(number(published, "inlier_1.03"), 0);
  EXPECT_EQ(reason(published, "scale_error"), "a prediction is not finite");
  knobs.zero_error = false;
  const ProtocolResult dropped = point_map_errors({1, 1, 2, predicted, truth}, knobs);
  EXPECT_EQ(number(dropped, "coverage"), 0.5);
  EXPECT_EQ(number(dropped, "inlier_1.03"), 1);
  EXPECT_EQ(reason(point_map_errors({2, 1, 1, predicted, truth}, knobs), "abs_rel"),
            "a view has no pixel with both points");
}

TEST(PointMaps, WhatThePixelsDoNotDetermineIsUndefined) {
  const std::vector<double> line = {0, 0, 1, 0, 0, 2, 0, 0, 3}, twice = {0, 0, 2, 0, 0, 4, 0, 0, 6};
  const ProtocolResult on_line = point_map_errors({1, 1, 3, twice, line});
  EXPECT_NEAR(number(on_line, "accuracy_mean"), 0, 1e-9);
  EXPECT_NE(reason(on_line, "normals_accuracy_mean"), "");
  const std::vector<double> one = {0, 0, 1};
  EXPECT_EQ(reason(point_map_errors({1, 1, 1, one, one}), "accuracy_mean"),
            "the pixels do not determine a similarity");
  // As published: some rotation about the line; a single point has size 0 and becomes the true one.
  EXPECT_NEAR(number(point_map_errors({1, 1, 3, twice, line}, {.fit_anyway = true}), "scale"), 0.5, 1e-12);
  EXPECT_TRUE(
      find_value(point_map_errors({1, 1, 3, twice, line}, {.fit_anyway = true}), "normals_accuracy_mean")
          ->value);
  const PointMapKnobs medians{.align = PointMapAlignment::scale_shift, .fit_anyway = true};
  EXPECT_EQ(number(point_map_errors({1, 1, 1, one, one}, medians), "scale"), 0);
  const ProtocolResult anyway = point_map_errors({1, 1, 3, twice, line}, {.fit_anyway = true});
  EXPECT_EQ(number(anyway, "icp_fitness"), 1);
  EXPECT_NEAR(number(anyway, "icp_rmse"), 0, 1e-12);
  EXPECT_EQ(reason(point_map_errors({1, 1, 1, one, one}, {.fit_anyway = true}), "scale"),
            "the predicted points lie at one place");
  const std::vector<double> beside = {1, 0, 1};
  const ProtocolResult apart = point_map_errors({1, 1, 1, one, beside}, medians);
  EXPECT_EQ(number(apart, "accuracy_mean"), 1);
  EXPECT_EQ(number(apart, "icp_fitness"), 0);
  EXPECT_EQ(number(apart, "icp_rmse"), 0);
  EXPECT_EQ(reason(point_map_errors({1, 1, 1, one, one}, {.align = PointMapAlignment::scale_shift}), "scale"),
            "the true points lie at one place");
  EXPECT_EQ(reason(point_map_errors({1, 1, 0, {}, {}}), "accuracy_mean"), "no pixel has both points");
  EXPECT_THROW(point_map_errors({1, 1, 2, one, one}), Error);
}

TEST(PointMaps, TheMiddleAndTheConfidentCount) {
  const std::vector<double> truth = true_points(), predicted = true_points();
  EXPECT_EQ(number(errors_of_maps(predicted, truth, {.crop_px = 4}), "pixels"), kViews * 4 * 4);
  EXPECT_EQ(number(errors_of_maps(predicted, truth, {.crop_px = 11}), "pixels"), kViews * 11 * 10);
  std::vector<float> confidence(kViews * kHeight * kWidth, 1);
  confidence[7] = 0.5F;
  const ProtocolResult result =
      point_map_errors({kViews, kHeight, kWidth, predicted, truth, confidence}, {.min_confidence = 0.6});
  EXPECT_EQ(number(result, "pixels"), kViews * kHeight * kWidth - 1);
}

// MapAnything: depths are divided by the sizes of the points, rays are compared at all pixels.
TEST(PointMaps, DepthsRaysAndPosesAreNormedWithThePoints) {
  const std::vector<double> truth = true_points();
  const std::vector<double> predicted = moved(truth, [](const Vec3& p) -> Vec3 { return 3 * p; });
  std::vector<float> true_z, predicted_z, true_rays, predicted_rays;
  for (std::size_t i = 0; i < truth.size(); i += 3) {
    true_z.push_back(static_cast<float>(truth[i + 2]));
    predicted_z.push_back(static_cast<float>(3.3 * truth[i + 2]));  // a tenth too far once the points agree
    for (const float coordinate : {0.0F, 0.0F, 1.0F}) true_rays.push_back(coordinate);
    for (const double coordinate : {0.0, std::sin(0.02), std::cos(0.02)})
      predicted_rays.push_back(static_cast<float>(coordinate));
  }
  const std::vector<CameraPose> true_poses = {{}, {Eigen::Matrix3d::Identity(), {1, 0, 0}}};
  std::vector<CameraPose> predicted_poses = true_poses;
  predicted_poses[1].position_m.x() = 3;
  PointMaps maps{kViews, kHeight, kWidth, predicted, truth};
  maps.predicted_z_m = predicted_z;
  maps.true_z_m = true_z;
  maps.predicted_rays = predicted_rays;
  maps.true_rays = true_rays;
  maps.predicted_poses = predicted_poses;
  maps.true_poses = true_poses;
  const PointMapKnobs knobs = find_protocol(point_map_protocols(), "point-maps-normed")->knobs;
  const ProtocolResult result = point_map_errors(maps, knobs);
  EXPECT_NEAR(number(result, "abs_rel"), 0, 1e-6);
  EXPECT_NEAR(number(result, "z_abs_rel"), 0.1, 1e-6);
  EXPECT_EQ(number(result, "z_inlier_1.03"), 0);
  EXPECT_NEAR(number(result, "rays"), 0.02 * 180 / 3.14159265358979, 1e-5);
  EXPECT_EQ(find_value(result, "pose_auc", 5)->value, 1);
  predicted_z[7] = std::numeric_limits<float>::quiet_NaN();  // no error, and no inlier
  EXPECT_NEAR(number(point_map_errors(maps, knobs), "z_abs_rel"),
              0.1 * (1 - 1.0 / (kViews * kHeight * kWidth)), 1e-6);
  maps.true_rays = {};
  EXPECT_THROW(point_map_errors(maps, knobs), Error);
}

// Rays that are not finite count as published or not at all; opposite ones are half a turn apart, although
// rounding makes them longer than 1.
TEST(PointMaps, RaysAreComparedAtTheirWorst) {
  const float none = std::numeric_limits<float>::quiet_NaN(), longer = 1.0000001F;
  const std::vector<double> points = {0, 0, 1, 0, 0, 2};
  const std::vector<float> truth = {0, 0, 1, 0, 0, longer}, predicted = {none, 0, 0, 0, 0, -longer};
  PointMaps maps{1, 1, 2, points, points};
  maps.true_rays = truth;
  maps.predicted_rays = predicted;
  PointMapKnobs knobs = find_protocol(point_map_protocols(), "point-maps-normed")->knobs;
  EXPECT_DOUBLE_EQ(number(point_map_errors(maps, knobs), "rays"), 90);
  knobs.zero_error = false;
  EXPECT_DOUBLE_EQ(number(point_map_errors(maps, knobs), "rays"), 180);
}

// Floats are 3 cm apart where a map projection's coordinates lie.
TEST(PointMaps, LargeCoordinatesKeepTheirDigits) {
  const Vec3 far(512345, 5412345, 0);
  const std::vector<double> truth = moved(true_points(), [&](const Vec3& p) -> Vec3 { return p + far; });
  const std::vector<double> predicted =
      moved(truth, [](const Vec3& p) -> Vec3 { return p + Vec3(0, 0, 0.001); });
  const ProtocolResult result =
      errors_of_maps(predicted, truth, {.align = PointMapAlignment::none, .icp_m = 0});
  EXPECT_NEAR(number(result, "accuracy_median"), 0.001, 1e-6);
}

}  // namespace
}  // namespace aqbench::test
