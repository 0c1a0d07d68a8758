#pragma once
// A project whose methods find their camera poses themselves: true poses and points in a frame and unit of
// the method's own.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/surfaces/surface.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {

inline constexpr double kScale = 3.7;  // world metres for a unit of the method
inline const Eigen::Matrix3d kTurn =
    Eigen::AngleAxisd(std::numbers::pi / 2, Vec3(1, 2, -2).normalized()).toRotationMatrix();
inline const Vec3 kShift(0.3, -12.5, 4.25);

inline const char* const kPosesProject = R"({
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
inline Vec3 own_place(const Vec3& world_m) { return kTurn.transpose() * (world_m - kShift) / kScale; }

inline std::string ply_text(const std::vector<Vec3>& points) {
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
  std::map<std::string, nlohmann::json> records(const std::string& out, const Arguments& more,
                                                int exit_code = 0) {
    std::map<std::string, nlohmann::json> records;
    const nlohmann::json results = sweep(out, more, exit_code);
    for (const nlohmann::json& record : results.at("records"))
      records[record["case"].get<std::string>()] = record;
    return records;
  }
  nlohmann::json sfm(const std::string& out, int exit_code = 0) {
    return sweep(out, words("--suite both --method sfm"), exit_code).at("records").at(0);
  }

  std::vector<Vec3> cloud_m_;
  Rig rig_;
};

inline const char* const kGivenCase = "undulating/posed/seed=42/rig=arc6/width=48";
inline const char* const kOwnCase = "undulating/sfm/seed=42/poses=own/rig=arc6/width=48";

inline double metric_value(const nlohmann::json& record, const std::string& metric) {
  return record.at("metrics").at(metric).at("value").get<double>();
}

// COLMAP's measure once more: in quaternions and cosines, the area by its trapezoids over a fine grid.
inline double auc_pct(const std::vector<std::pair<Eigen::Quaterniond, Vec3>>& truth,
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

}  // namespace aqbench::testing
