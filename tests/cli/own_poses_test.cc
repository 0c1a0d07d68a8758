// Methods that find their camera poses themselves: a planted similarity comes back.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "scenes/optics/rig.h"
#include "tests/cli/own_poses.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST_F(OwnPoses, APlantedSimilarityComesBackAndTheCloudScoresAsWithGivenPoses) {
  const auto by_case = records("both", {"--suite", "both"});
  ASSERT_EQ(by_case.size(), 3U);
  const json& own = by_case.at(kOwnCase);
  const json& effective = own.at("effective");
  EXPECT_NEAR(effective["alignment_scale"].get<double>(), kScale, 1e-9);
  EXPECT_NEAR(effective["alignment_rotation_deg"].get<double>(), 90, 1e-9);
  const Vec3 axis_deg = 90 * Vec3(1, 2, -2).normalized();
  for (int i = 0; i < 3; ++i) {
    const std::string axis(1, "xyz"[i]);
    EXPECT_NEAR(effective["alignment_rotation_" + axis + "_deg"].get<double>(), axis_deg[i], 1e-9);
    EXPECT_NEAR(effective["alignment_shift_" + axis + "_m"].get<double>(), kShift[i], 1e-9);
  }
  EXPECT_EQ(effective["alignment_agreeing_cameras"], 6);
  EXPECT_EQ(own["axes"]["poses"], "own");
  std::size_t compared = 0;
  for (const auto& [name, metric] : by_case.at(kGivenCase).at("metrics").items()) {
    if (metric["value"].is_null()) continue;
    EXPECT_NEAR(metric_value(own, name), metric["value"].get<double>(), 1e-6) << name;
    ++compared;
  }
  EXPECT_GT(compared, 30U);
  for (const int degrees : {1, 3, 5, 10, 30})
    EXPECT_NEAR(metric_value(own, "pose_auc_" + std::to_string(degrees) + "deg_pct"), 100, 1e-6);
  EXPECT_NEAR(metric_value(own, "pose_rotation_rmse_deg"), 0, 1e-9);
  EXPECT_NEAR(metric_value(own, "pose_position_rmse_mm"), 0, 1e-9);
  EXPECT_NEAR(metric_value(own, "pose_alignment_rms_mm"), 0, 1e-9);
  EXPECT_EQ(metric_value(own, "pose_registered_pct"), 100);
  EXPECT_FALSE(by_case.at(kGivenCase)["metrics"].contains("pose_registered_pct"));
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  EXPECT_EQ(run({"replay", bundle_, "--all"}).exit_code, 0);
  // Never ranked together: all errors are equal, but only those with own poses are the best of several.
  const std::string summary = read_file(bundle_ / "summary.md");
  EXPECT_THAT(summary, ContainsRegex(R"(\| posed \| [0-9.]+ \|)"));
  EXPECT_THAT(summary, ContainsRegex(R"(\| blind poses=own \| \*\*[0-9.]+\*\* \|)"));
  EXPECT_THAT(summary, ContainsRegex(R"(\| sfm poses=own \| \*\*[0-9.]+\*\* \|)"));
}

TEST_F(OwnPoses, TheAreaUnderTheRecallCurveIsThatOfAnIndependentComputation) {
  const std::vector<Off> offs = {{0.4, {0.001, 0, 0}}, {2.5, {0, 0.004, 0}}, {0, {0, 0, 0.02}},
                                 {6, {0.01, 0, 0}},    {0.1, {0, 0, 0}},     {20, {0, 0.001, 0.001}}};
  write_poses(offs, {4});
  const json record = sfm("noisy");
  std::vector<std::pair<Eigen::Quaterniond, Vec3>> truth, found;  // camera_from_world rotation, centre
  for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
    if (i == 4) continue;
    const CameraFromWorld& pose = rig_.cameras[i].camera_from_world;
    truth.emplace_back(Eigen::Quaterniond(pose.rotation), camera_centre_m(pose));
    found.emplace_back(
        Eigen::Quaterniond(Eigen::AngleAxisd(offs[i].turn_deg * std::numbers::pi / 180, Vec3::UnitX()) *
                           pose.rotation),
        camera_centre_m(pose) + offs[i].shift_m);
  }
  for (const int degrees : {1, 3, 5, 10, 30})
    EXPECT_NEAR(metric_value(record, "pose_auc_" + std::to_string(degrees) + "deg_pct"),
                auc_pct(truth, found, 6, degrees), 1e-6)
        << degrees;
  EXPECT_LT(metric_value(record, "pose_auc_1deg_pct"), metric_value(record, "pose_auc_30deg_pct"));
  EXPECT_NEAR(metric_value(record, "pose_registered_pct"), 500.0 / 6, 1e-9);
}

// Of images of 1600 px, in COLMAP's pixels; the dataset has 48 px.
TEST_F(OwnPoses, TheIntrinsicsThatItWritesAreScoredAtTheSizeOfTheImages) {
  const json without = sfm("without");
  EXPECT_TRUE(without.at("metrics").at("pose_focal_error_median_pct").at("value").is_null());
  const Intrinsics& truth = rig_.cameras[0].intrinsics;
  write("own/cameras.txt",
        fmt::format("1 PINHOLE 1600 1200 {} {} {} {}\n", 1.05 * truth.K(0, 0), 0.97 * truth.K(1, 1),
                    truth.K(0, 2) + 0.5 + 3, truth.K(1, 2) + 0.5 - 4));
  const json record = sfm("with");
  EXPECT_NEAR(metric_value(record, "pose_focal_error_median_pct"), 100 * (std::sqrt(1.05 * 0.97) - 1), 1e-9);
  EXPECT_NEAR(metric_value(record, "pose_principal_point_median_px"), 5 * 0.03, 1e-9);
  write("own/cameras.txt", "1 PINHOLE 1600 1200 0 1500 800 600\n");
  EXPECT_THAT(sfm("zero", 3).at("reason").get<std::string>(),
              HasSubstr("focal length and size must be positive"));
}

TEST_F(OwnPoses, ASuiteDeclaresPosesAndOneAlignment) {
  const auto by_case = records("own_suite", {"--suite", "own"});
  const json& record = by_case.at("undulating/either/seed=42/poses=own/rig=arc6/width=48");
  EXPECT_EQ(record["options"]["alignment.then"], "icp");
  EXPECT_TRUE(record["effective"].contains("icp_rms_after_mm"));
  EXPECT_LT(std::abs(metric_value(record, "bias_mean_mm")), 0.05)
      << "ICP takes the bias of half a millimetre away";
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  EXPECT_THAT(run("sweep --suite given").err, HasSubstr("but method sfm finds its own"));
  EXPECT_THAT(run("sweep --suite both --axis alignment.then=nothing,icp").err,
              HasSubstr("all cases have one value"));
  EXPECT_THAT(run("sweep --suite own --method either --set perturb.focal_pct=1").err,
              HasSubstr("no calibration that could be wrong"));
}

// Photographs and nothing else: the method's own cameras, in its own frame, say how well the images agree.
TEST_F(OwnPoses, ImagesAloneAreADatasetForMethodsThatFindEverything) {
  const std::string rendered = dir_ / "rendered";
  succeeded(run("render undulating --rig arc6 --set arc6.n_water=1 --width 400 --imaging clean --out {}",
                rendered));
  rig_ = make_rig("arc6", {{"arc6", "width", "400"}, {"arc6", "height", "300"}}, 42);
  std::filesystem::create_directories(dir_ / "photos/images");
  for (const Camera& camera : rig_.cameras)
    std::filesystem::copy(rendered + "/images/" + camera.name + "/000000.png",
                          dir_ / "photos/images" / (camera.name + ".png"));
  const Mat3& k = rig_.cameras.front().intrinsics.K;
  // Of images twice as large, with a lens coefficient.
  const auto sweep_with = [&](const std::string& out, double k1, const std::vector<std::size_t>& left_out) {
    write_poses({}, left_out);
    write("own/cameras.txt", fmt::format("1 SIMPLE_RADIAL 800 600 {} {} {} {}\n", 2 * k(0, 0),
                                         2 * (k(0, 2) + 0.5), 2 * (k(1, 2) + 0.5), k1));
    return sweep(out, words("--scene dataset:photos --method blind")).at("records").at(0);
  };
  write("own/points3D.txt", "");
  const json given = sweep("given", words("--scene dataset:rendered --method posed")).at("records").at(0);
  const json good = sweep_with("good", 0, {}), bent = sweep_with("bent", 4, {}),
             some = sweep_with("some", 0, {5});
  // The windows stand otherwise in a frame that is turned.
  const auto agreement = [](const json& record) { return metric_value(record, "photometric_zncc_median"); };
  EXPECT_NEAR(agreement(good), agreement(given), 0.03);
  EXPECT_EQ(metric_value(good, "photometric_points"), metric_value(given, "photometric_points"));
  EXPECT_GT(agreement(good), 0.6);
  EXPECT_LT(agreement(bent), agreement(good) - 0.1) << "its lens counts";
  EXPECT_EQ(metric_value(good, "pose_registered_pct"), 100);
  EXPECT_NEAR(metric_value(some, "pose_registered_pct"), 100 * 5 / 6.0, 1e-9);
  EXPECT_FALSE(good["metrics"].contains("pose_rotation_median_deg"));
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  for (const char* const refused :
       {"sweep --scene dataset:photos --method sfm", "sweep --scene dataset:photos --method sparse",
        "run sparse --dataset photos --out none"})
    expect_mistake(run(refused), "images without cameras");
  std::filesystem::remove_all(rendered + "/truth");
  for (const auto& [scene, method, flag, value] :
       {std::array{"photos", "blind", "--set", "alignment.then=icp"},
        {"photos", "blind", "--protocol", "eth3d"},
        {"rendered", "sfm", "--set", "alignment.then=icp"}}) {
    const std::string dataset = std::string("dataset:") + scene;
    expect_mistake(run("sweep --scene {} --method {} {} {}", dataset, method, flag, value),
                   dataset + " has no true surface");
  }
}

}  // namespace
}  // namespace aqbench::testing
