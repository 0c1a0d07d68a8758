// Methods that find their camera poses themselves: a planted similarity comes back, and what is not
// determined fails.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kScale = 3.7;  // world metres for a unit of the method
const Eigen::Matrix3d kTurn =
    Eigen::AngleAxisd(std::numbers::pi / 2, Vec3(1, 2, -2).normalized()).toRotationMatrix();
const Vec3 kShift(0.3, -12.5, 4.25);

const char* const kPosesProject = R"({
  "version": 1,
  "methods": [
    {"name": "posed", "command": "/bin/sh give.sh posed {output} {dataset}"},
    {"name": "sfm", "command": "/bin/sh give.sh own {output} {dataset}", "poses": "own"},
    {"name": "blind", "command": "/bin/sh give.sh own {output} {dataset}", "poses": "own", "intrinsics": "own"},
    {"name": "either", "command": "/bin/sh give.sh own {output} {dataset}", "cameras": "images.txt"}],
  "suites": [
    {"name": "both", "scenes": ["undulating"], "methods": ["posed", "sfm", "blind"], "rig": "arc6", "width": 48},
    {"name": "own", "scenes": ["undulating"], "methods": ["either"], "rig": "arc6", "width": 48, "poses": "own",
     "alignment": {"then": "icp"}},
    {"name": "given", "scenes": ["undulating"], "methods": ["sfm"], "rig": "arc6", "poses": "given"}]
})";

// In the frame and unit of the method.
Vec3 own_place(const Vec3& world_m) { return kTurn.transpose() * (world_m - kShift) / kScale; }

std::string ply_text(const std::vector<Vec3>& points) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
      "end_header\n",
      points.size());
  for (const Vec3& point : points) text += fmt::format("{} {} {}\n", point.x(), point.y(), point.z());
  return text;
}

class OwnPoses : public UserFolder {
 protected:
  OwnPoses() {
    write("aqbench.json", kPosesProject);
    write("give.sh",
          "cp -r $1/. $2\n"
          "ls -R $3 >seen.txt; cat $3/calibration.json >>$2/seen.txt 2>/dev/null\n"
          "if [ $1 = own ] && grep -rq -e extrinsics -e water_z $3; then echo poses leaked; exit 3; fi\n");
    const Scene scene = make_scene("undulating", {});
    const Patch& patch = *scene.truth.surface->patch();
    for (int i = 0; i < 900; ++i) {
      const double x = patch.x_min_m + (patch.x_max_m - patch.x_min_m) * (i % 30 + 0.5) / 30;
      const double y = patch.y_min_m + (patch.y_max_m - patch.y_min_m) * (i / 30 + 0.5) / 30;
      // Off by up to 1.5 mm, and half of a millimetre on average.
      const double off_m = 0.0005 + 0.001 * std::sin(i * 12.9898);
      cloud_m_.emplace_back(x, y, dynamic_cast<const HeightField&>(*scene.truth.surface).jet(x, y).z + off_m);
    }
    rig_ = make_rig("arc6", {}, 42);
    write("posed/cloud.ply", ply_text(cloud_m_));
    std::vector<Vec3> own;
    for (const Vec3& point : cloud_m_) own.push_back(own_place(point));
    write("own/cloud.ply", ply_text(own));
    write_poses({});
  }
  // An error of a camera: a turn about its x axis, and a shift in the world.
  struct Off {
    double turn_deg = 0;
    Vec3 shift_m = Vec3::Zero();
  };
  // Writes COLMAP's images.txt, camera_from_own, of those cameras that are not left out.
  void write_poses(const std::vector<Off>& offs, const std::vector<std::size_t>& left_out = {}) const {
    std::ofstream file(dir_ / "own/images.txt");
    file.precision(17);
    for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
      if (std::ranges::find(left_out, i) != left_out.end()) continue;
      const Off off = i < offs.size() ? offs[i] : Off();
      const CameraFromWorld& pose = rig_.cameras[i].camera_from_world;
      const Eigen::Matrix3d rotation =
          Eigen::AngleAxisd(off.turn_deg * std::numbers::pi / 180, Vec3::UnitX()) * pose.rotation * kTurn;
      const Vec3 t = -rotation * own_place(camera_centre_m(pose) + off.shift_m);
      const Eigen::Quaterniond q(rotation);
      file << i + 1 << ' ' << q.w() << ' ' << q.x() << ' ' << q.y() << ' ' << q.z() << ' ' << t.x() << ' '
           << t.y() << ' ' << t.z() << " 1 " << rig_.cameras[i].name << "/000000.png\n\n";
    }
  }
  // Sweeps into a folder of its own and returns its records by case.
  std::map<std::string, json> records(const std::string& out, const Arguments& more, int exit_code = 0) {
    std::map<std::string, json> records;
    const json results = sweep(out, more, exit_code);
    for (const json& record : results.at("records")) records[record["case"].get<std::string>()] = record;
    return records;
  }
  json sfm(const std::string& out, int exit_code = 0) {
    return sweep(out, words("--suite both --method sfm"), exit_code).at("records").at(0);
  }

  std::vector<Vec3> cloud_m_;
  Rig rig_;
};

const char* const kGivenCase = "undulating/posed/seed=42/rig=arc6/width=48";
const char* const kOwnCase = "undulating/sfm/seed=42/poses=own/rig=arc6/width=48";

double metric_value(const json& record, const std::string& metric) {
  return record.at("metrics").at(metric).at("value").get<double>();
}

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
  // Never ranked together.
  const std::string summary = read_file(bundle_ / "summary.md");
  EXPECT_THAT(summary, Not(HasSubstr("undulating: posed")));
  EXPECT_THAT(summary, HasSubstr("undulating with own poses: "));
}

// COLMAP's measure once more: in quaternions and cosines, the area by its trapezoids over a fine grid.
double auc_pct(const std::vector<std::pair<Eigen::Quaterniond, Vec3>>& truth,
               const std::vector<std::pair<Eigen::Quaterniond, Vec3>>& found, std::size_t images,
               double threshold_deg) {
  std::vector<double> errors;
  constexpr double to_deg = 180 / std::numbers::pi;
  for (std::size_t i = 0; i < truth.size(); ++i)
    for (std::size_t j = 0; j < truth.size(); ++j) {
      if (i == j) continue;
      const auto relative = [&](const auto& poses) {
        return std::pair(poses[j].first * poses[i].first.conjugate(),
                         Vec3(poses[j].first * (poses[i].second - poses[j].second)));
      };
      const auto [turn, direction] = relative(truth);
      const auto [own_turn, own_direction] = relative(found);
      const double cosine = direction.normalized().dot(own_direction.normalized());
      errors.push_back(std::max(turn.angularDistance(own_turn), std::acos(std::min(1.0, cosine))) * to_deg);
    }
  errors.resize(images * (images - 1), 180.0);
  std::ranges::sort(errors);
  const auto count = static_cast<double>(errors.size());
  double area = 0, error = 0, recall = 0;
  for (std::size_t i = 0; i < errors.size() && errors[i] <= threshold_deg; ++i) {
    area += (errors[i] - error) * (recall + static_cast<double>(i + 1) / count) / 2;
    error = errors[i];
    recall = static_cast<double>(i + 1) / count;
  }
  return 100 * (area + (threshold_deg - error) * recall) / threshold_deg;
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

TEST_F(OwnPoses, CamerasThatDoNotDetermineTheAlignmentFailTheCase) {
  const auto reason = [&](const std::string& out) { return sfm(out, 3).at("reason").get<std::string>(); };
  write_poses({}, {0, 1, 2, 3});
  EXPECT_THAT(reason("two"), HasSubstr("alignment by 2 cameras: "));
  std::vector<Off> line, point;
  for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
    const Vec3 centre = camera_centre_m(rig_.cameras[i].camera_from_world);
    line.push_back({0, Vec3(0.1 * static_cast<double>(i), 0, 0) - centre});
    point.push_back({0, Vec3(0.5, 0.5, 0) - centre});
  }
  write_poses(line);
  EXPECT_THAT(reason("line"), HasSubstr("on one line"));
  write_poses(point);
  EXPECT_THAT(reason("point"), HasSubstr("alignment by 6 cameras: "));
  std::filesystem::remove(dir_ / "own/images.txt");
  EXPECT_THAT(reason("none"), HasSubstr("images.txt"));
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
