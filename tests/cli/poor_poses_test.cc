// Methods that find their camera poses themselves, poorly.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/own_poses.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Poor poses are scored: areas under the recall curve need no alignment. What needs one is undefined, and
// why.
TEST_F(OwnPoses, PosesThatDetermineNoAlignmentAreScoredAllTheSame) {
  using Poses = std::vector<std::pair<Eigen::Quaterniond, Vec3>>;
  const auto poses_with = [&](const std::vector<Off>& offs, const std::vector<std::size_t>& left_out) {
    Poses poses;
    for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
      if (std::ranges::find(left_out, i) != left_out.end()) continue;
      const CameraFromWorld& pose = rig_.cameras[i].camera_from_world;
      const Off off = offs.empty() ? Off() : offs[i];
      poses.emplace_back(Eigen::Quaterniond(pose.rotation), camera_centre_m(pose) + off.shift_m);
    }
    return poses;
  };
  const auto expect_scored = [&](const std::string& out, const std::vector<Off>& offs, const char* why,
                                 const std::vector<std::size_t>& left_out = {}) {
    write_poses(offs, left_out);
    const json record = sfm(out);
    for (const int degrees : {5, 30})
      EXPECT_NEAR(metric_value(record, fmt::format("pose_auc_{}deg_pct", degrees)),
                  auc_pct(poses_with({}, left_out), poses_with(offs, left_out), 6, degrees), 1e-6)
          << out;
    EXPECT_NEAR(metric_value(record, "pose_registered_pct"),
                100 * static_cast<double>(6 - left_out.size()) / 6, 1e-9);
    for (const char* const name :
         {"pose_rotation_rmse_deg", "pose_position_median_mm", "pose_alignment_rms_mm", "accuracy_mean_mm",
          "completeness_2mm_pct", "bias_mean_mm"}) {
      const json& metric = record.at("metrics").at(name);
      EXPECT_TRUE(metric.at("value").is_null()) << out << name;
      EXPECT_THAT(metric.at("reason").get<std::string>(), HasSubstr(why)) << out;
    }
    EXPECT_EQ(metric_value(record, "points"), 900);
    EXPECT_FALSE(record.at("effective").contains("alignment_scale"));
  };
  expect_scored("two", {}, "alignment by 2 cameras: 2 pairs do not determine a similarity", {0, 1, 2, 3});
  std::vector<Off> line, mirrored;
  for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
    const Vec3 centre = camera_centre_m(rig_.cameras[i].camera_from_world);
    const auto number = static_cast<double>(i);
    line.push_back({0, Vec3(0.1 * number, 0, 0) - centre});
    const Vec3 thick(0, 0, 3 * std::sin(3 * number));  // an arc in a plane has no mirror image
    mirrored.push_back({0, Vec3(-2 * centre.x(), 0, 0) + thick});
  }
  expect_scored("line", line, "all lie on one line: the rotation about it is not determined");
  expect_scored("mirrored", mirrored, "alignment by 6 cameras: ");
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  std::filesystem::remove(dir_ / "own/images.txt");
  EXPECT_THAT(sfm("none", 3).at("reason").get<std::string>(), HasSubstr("images.txt"));
}

// Four of six cameras agree, and not with the cloud: the poses are scored. Where all agree, the cloud is not
// in their frame, and the case fails.
TEST_F(OwnPoses, ACloudThatPoorPosesPutElsewhereIsUndefinedAndThePosesAreScored) {
  std::vector<Off> shifted(6, Off{0, Vec3(0, 5, 0)});
  write_poses(shifted);
  EXPECT_THAT(sfm("apart", 3).at("reason").get<std::string>(), HasSubstr("its cloud"));
  shifted[1] = shifted[4] = {};
  write_poses(shifted);
  const json record = sfm("elsewhere");
  EXPECT_EQ(record.at("effective").at("alignment_agreeing_cameras"), 4);
  EXPECT_NEAR(metric_value(record, "pose_position_median_mm"), 0, 1e-6);
  EXPECT_GT(metric_value(record, "pose_position_rmse_mm"), 1000);
  EXPECT_LT(metric_value(record, "pose_auc_30deg_pct"), 60);
  const json& mean = record.at("metrics").at("accuracy_mean_mm");
  EXPECT_TRUE(mean.at("value").is_null());
  EXPECT_THAT(mean.at("reason").get<std::string>(), HasSubstr("its cloud"));
}

}  // namespace
}  // namespace aqbench::testing
