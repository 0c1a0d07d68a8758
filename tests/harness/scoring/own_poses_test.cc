#include "harness/scoring/own_poses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// A rig, and own cameras that are the true ones, moved by what a test says.
struct Posed {
  Rig rig = make_rig("ring12", {}, 1);
  Reconstruction output;

  explicit Posed(const std::function<Vec3(std::size_t, const Vec3&)>& moved) {
    output.cloud.points_m = {{0, 0, 1}, {0.1, 0, 1}};
    for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
      Camera& camera = rig.cameras[i];
      CameraFromWorld& pose = camera.camera_from_world;
      const Vec3 thick(0, 0, 0.3 * std::sin(5.0 * static_cast<double>(i)));  // a ring is its own mirror image
      const Vec3 centre = camera_centre_m(pose) + thick;
      pose.translation_m = -(pose.rotation * centre);
      output.own_cameras.push_back({camera.name, pose.rotation.transpose(), moved(i, centre)});
    }
  }
};

double number_of(const MetricSet& metrics, const char* name) {
  const Metric* const metric = find_metric(metrics, name);
  return metric != nullptr && metric->value ? *metric->value : -1;
}

std::string reason_of(const MetricSet& metrics, const char* name) {
  const Metric* const metric = find_metric(metrics, name);
  return metric == nullptr ? "absent" : metric->value ? "defined" : metric->reason.text();
}

// COLMAP's area up to a threshold, of errors in any order, by its trapezoids.
double area_pct(std::vector<double> errors, double threshold) {
  std::ranges::sort(errors);
  double area = 0, error = 0, recall = 0;
  for (std::size_t i = 0; i < errors.size() && errors[i] <= threshold; ++i) {
    const double next = static_cast<double>(i + 1) / static_cast<double>(errors.size());
    area += (errors[i] - error) * (recall + next) / 2;
    error = errors[i];
    recall = next;
  }
  return 100 * (area + (threshold - error) * recall) / threshold;
}

// Rotations are right: an error of a pair is that of the directions, in the world as well as in a camera.
double expected_auc_pct(const Posed& posed, double threshold_deg) {
  std::vector<double> errors_deg;
  for (std::size_t i = 0; i < posed.rig.cameras.size(); ++i)
    for (std::size_t j = 0; j < posed.rig.cameras.size(); ++j) {
      if (i == j) continue;
      const auto centre = [&](std::size_t k) {
        return camera_centre_m(posed.rig.cameras[k].camera_from_world);
      };
      const Vec3 truth = centre(i) - centre(j),
                 own = posed.output.own_cameras[i].centre - posed.output.own_cameras[j].centre;
      errors_deg.push_back(std::acos(std::clamp(truth.normalized().dot(own.normalized()), -1.0, 1.0)) * 180 /
                           std::numbers::pi);
    }
  return area_pct(errors_deg, threshold_deg);
}

void expect_scored_without_alignment(Posed posed, const char* why) {
  SCOPED_TRACE(why);
  Record record;
  const Reconstruction before = posed.output;
  const OwnPlacement placed = align_own_cameras(posed.output, posed.rig, FitScale::estimated, record);
  EXPECT_THAT(placed.unplaced, HasSubstr(why));
  EXPECT_EQ(posed.output.cloud.points_m, before.cloud.points_m) << "nothing was moved";
  for (const int degrees : {5, 10, 30}) {
    const std::string name = "pose_auc_" + std::to_string(degrees) + "deg_pct";
    EXPECT_NEAR(number_of(placed.metrics, name.c_str()), expected_auc_pct(posed, degrees), 1e-4) << name;
  }
  EXPECT_EQ(number_of(placed.metrics, "pose_registered_pct"), 100);
  for (const char* const name : {"pose_rotation_median_deg", "pose_rotation_rmse_deg",
                                 "pose_position_median_mm", "pose_position_rmse_mm", "pose_alignment_rms_mm"})
    EXPECT_EQ(reason_of(placed.metrics, name), placed.unplaced);
}

TEST(OwnCameras, PoorPosesAreScoredWhereTheyDetermineNoAlignment) {
  expect_scored_without_alignment(
      Posed([](std::size_t i, const Vec3&) { return Vec3(0.1 * static_cast<double>(i), 0, 0); }),
      "all lie on one line: the rotation about it is not determined");
  expect_scored_without_alignment(
      Posed([](std::size_t, const Vec3& centre) { return Vec3(-centre.x(), centre.y(), centre.z()); }),
      "of their extent (rms): none fits");
  expect_scored_without_alignment(Posed([](std::size_t i, const Vec3& centre) -> Vec3 {
                                    const auto n = static_cast<double>(i);
                                    if (i % 2 != 0) return centre;  // 7 of 13 are wrong
                                    return Vec3(std::sin(9 * n), std::cos(7 * n), std::sin(4 * n));
                                  }),
                                  "of their extent (rms): none fits");
}

TEST(OwnCameras, TwoRegisteredCamerasAreScored) {
  Posed posed([](std::size_t, const Vec3& centre) { return centre; });
  posed.output.own_cameras.resize(2);
  Record record;
  const OwnPlacement placed = align_own_cameras(posed.output, posed.rig, FitScale::estimated, record);
  EXPECT_THAT(placed.unplaced, HasSubstr("2 pairs do not determine a similarity; 3 are needed"));
  // Two of the 156 ordered pairs of 13 images have no error, the others 180 degrees.
  EXPECT_NEAR(number_of(placed.metrics, "pose_auc_30deg_pct"), 100 * 2 / 156.0, 1e-4);
  EXPECT_NEAR(number_of(placed.metrics, "pose_registered_pct"), 100 * 2 / 13.0, 1e-9);
}

// What would have been scored is there without a value, and how many points there are.
TEST(OwnCameras, WhatNeedsTheAlignmentIsUndefinedWithItsReason) {
  const Posed posed([](std::size_t, const Vec3& centre) { return centre; });
  ScoreOptions options;
  options.tolerances_m = {0.003};
  const AskedProtocol asked = parse_protocol("eth3d");
  const MetricSet metrics = undefined_metrics(posed.output, &options, std::vector{ScoreFamily::photometric},
                                              std::span(&asked, 1), "why");
  EXPECT_EQ(number_of(metrics, "points"), 2);
  for (const char* const name :
       {"accuracy_mean_mm", "bias_mean_mm", "precision_3mm_pct", "completeness_3mm_pct",
        "completeness_seen2_3mm_pct", "chamfer_l1_mm", "plane_fit_rmse_mm", "tile_empty_pct",
        "points_per_mm2", "photometric_zncc_median"})
    EXPECT_EQ(reason_of(metrics, name), "why") << name;
  for (const ProtocolMetric& metric : metrics_of(asked))
    EXPECT_EQ(reason_of(metrics, metric.name.c_str()), "why");
  EXPECT_EQ(reason_of(metrics, "normal_mean_deg"), "absent") << "the cloud has no normals";
  EXPECT_EQ(reason_of(undefined_metrics(posed.output, nullptr, {}, {}, "why"), "accuracy_mean_mm"), "absent");
}

}  // namespace
}  // namespace aqbench
