// Protocols of files in sweeps: depth maps, point maps, images and poses of declared methods.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::size_t kMapWidth = 32, kMapHeight = 24;

// A rendered plane, of which files of methods are made by formulas.
class FileProtocols : public UserFolder {
 protected:
  void SetUp() override {
    succeeded(
        run("render flat_plane --rig arc6 --width 32 --height 24 --mesh-pitch-mm 50 --out data"));
    rig_ = read_calibration(dir_ / "data/calibration.json");
  }

  DepthMap depths_of(const Camera& camera) const {
    return read_depth_map(dir_ / "data/truth" / camera.name / "depth.npy", camera);
  }

  // True depths times a factor: a map for each camera.
  void write_depths(const std::string& folder, float factor, bool along_z = false) const {
    fs::create_directories(dir_ / folder);
    for (const Camera& camera : rig_.cameras) {
      std::vector<float> values = depths_of(camera).depth_along_ray_m;
      if (along_z) values = heights_of(camera);
      for (float& value : values) value *= factor;
      write_npy(dir_ / folder / (camera.name + ".npy"), values, std::vector{kMapHeight, kMapWidth});
    }
  }

  std::vector<float> heights_of(const Camera& camera) const {
    std::vector<float> values;
    for (const Vec3& point : points_of(camera))
      values.push_back(static_cast<float>(
          (camera.camera_from_world.rotation * point + camera.camera_from_world.translation_m).z()));
    return values;
  }

  std::vector<Vec3> points_of(const Camera& camera) const {
    const DepthMap depths = depths_of(camera);
    const RefractiveCamera view = refractive_camera(camera);
    std::vector<Vec3> points;
    for (int y = 0; y < depths.height; ++y)
      for (int x = 0; x < depths.width; ++x)
        points.push_back(
            point_on_ray(cast_ray(view, Vec2(x, y)).value(), depths.depth_along_ray_m[points.size()]));
    return points;
  }

  // True points of all cameras, moved by `shift` in the world.
  void write_points(const std::string& file, const Vec3& shift) const {
    std::vector<double> values;
    for (const Camera& camera : rig_.cameras)
      for (const Vec3& point : points_of(camera))
        for (const int axis : {0, 1, 2}) values.push_back(point[axis] + shift[axis]);
    write_npy(dir_ / file, std::span<const double>(values),
              std::vector{rig_.cameras.size(), kMapHeight, kMapWidth, std::size_t{3}});
  }

  // True poses, moved by `shift`, as TUM's lines with the names of the cameras.
  void write_poses(const std::string& file, double shift) const {
    std::string lines;
    for (const Camera& camera : rig_.cameras) {
      const Vec3 centre = camera_centre_m(camera.camera_from_world);
      const Eigen::Quaterniond turn(Eigen::Matrix3d(camera.camera_from_world.rotation.transpose()));
      lines += fmt::format("{} {} {} {} {} {} {} {}\n", camera.name, centre.x() + shift, centre.y(),
                           centre.z(), turn.x(), turn.y(), turn.z(), turn.w());
    }
    write(file, lines);
  }

  json metrics_of(const std::string& method, const std::string& protocols) {
    std::string line = "--scene flat_plane --rig arc6 --width 32 --height 24 --method " + method;
    for (const std::string_view protocol : split_at(protocols, ' '))
      line += fmt::format(" --protocol {}", protocol);
    const json results = sweep(fmt::format("out_{}", ++sweeps_), words(line));
    EXPECT_EQ(results["records"][0]["status"], "ok") << results["records"][0];
    return results["records"][0]["metrics"];
  }
  static double value(const json& metrics, const std::string& name) {
    return metrics.contains(name) ? metrics[name]["value"].get<double>() : NAN;
  }

  Rig rig_;
  int sweeps_ = 0;
};

TEST_F(FileProtocols, DepthMapsOfAnyFormScoreAsInEval) {
  write_depths("maps", 1.02F);
  write_depths("half/flat_plane/z", 500, true);  // half of the depth along z, in millimetres
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "files", "given": "maps", "gives": "depth_maps"},
    {"name": "program", "command": "cp -r maps {output}/d", "gives": "depth_maps", "result": "d"},
    {"name": "z", "given": "half/{scene}/z", "gives": "depth_maps", "depth_along": "z", "unit": "mm"}]})");
  fs::create_directories(dir_ / "truth");
  for (const Camera& camera : rig_.cameras)
    fs::copy_file(dir_ / "data/truth" / camera.name / "depth.npy", dir_ / "truth" / (camera.name + ".npy"));
  const json files = metrics_of("files", "depth");
  EXPECT_NEAR(value(files, "depth_abs_rel"), 0.02, 1e-7);
  const json record = document_of(run("eval maps --truth truth --protocol depth --json")).at("records").at(0);
  EXPECT_EQ(files, record.at("metrics"));
  const json swept = json_file(bundle_ / "results.json");
  EXPECT_EQ(swept["records"][0]["output_sha256"], record.at("output_sha256"));
  EXPECT_THAT(swept["run"]["effective"]["definitions"]["depth_abs_rel"].get<std::string>(),
              HasSubstr("abs_rel by protocol depth"));
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  EXPECT_EQ(run({"replay", bundle_, "--all"}).exit_code, 0);
  EXPECT_EQ(metrics_of("program", "depth"), files);
  const json z = metrics_of("z", "video-depth:align=none eigen");
  EXPECT_NEAR(value(z, "video_depth_abs_rel"), 0.5, 1e-6);
  EXPECT_NEAR(value(z, "eigen_abs_rel"), 0, 1e-6);  // its median is scaled
}

TEST_F(FileProtocols, PointMapsAndPosesHaveTheTruthOfTheCase) {
  write_points("points.npy", Vec3(0, 0, 0.003));
  write_poses("poses.txt", 0.01);
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "points", "given": "points.npy", "gives": "point_maps"},
    {"name": "poses", "given": "poses.txt", "gives": "poses"}]})");
  // The plane is level: the nearest point is that of the same pixel.
  const json points = metrics_of("points", "point-maps:align=none:icp_m=0");
  EXPECT_NEAR(value(points, "point_maps_accuracy_mean"), 0.003, 1e-7);
  EXPECT_NEAR(value(points, "point_maps_completeness_mean"), 0.003, 1e-7);
  EXPECT_NEAR(value(points, "point_maps_coverage"), 1, 1e-12);
  const json poses = metrics_of("poses", "poses:alignment=none vggt pose-sets");
  EXPECT_NEAR(value(poses, "poses_ate_rmse"), 0.01, 1e-9);
  EXPECT_NEAR(value(poses, "vggt_auc_5deg"), 1, 1e-12);
  EXPECT_NEAR(value(poses, "pose_sets_absolute_recall_0.02m"), 1, 1e-12);
}

TEST_F(FileProtocols, WhatNoProtocolScoresAndWrongFilesAreRefused) {
  write_depths("maps", 1);
  write("bad.npy", "no array");
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "maps", "given": "maps", "gives": "depth_maps"},
    {"name": "none", "command": "true {output}", "gives": "images", "result": "renders"},
    {"name": "bad", "given": "bad.npy", "gives": "point_maps"}]})");
  const std::string asked = "sweep --scene flat_plane --rig arc6 --width 32 --out o --method ";
  expect_mistake(run(words(asked + "maps")), "method maps gives depth_maps, which no protocol of this sweep");
  expect_mistake(run(words(asked + "maps --protocol vggt")), "add --protocol, one of depth, video-depth");
  expect_mistake(run(words(asked + "maps --protocol video-dept")), "did you mean video-depth");
  expect_mistake(run(words(asked + "maps --protocol depth:align=x")), "knob align: 'x'");
  expect_mistake(run(words(asked + "none --protocol images")),
                 "protocol images: no view is held out; add --set dataset.hold_out=8");
  const json bad = sweep("b",
                         words("--scene flat_plane --rig arc6 --width 32 --method bad --protocol "
                               "point-maps"),
                         3)["records"][0];
  EXPECT_EQ(bad["status"], "failed");
  EXPECT_THAT(bad["reason"].get<std::string>(), HasSubstr("protocol point-maps: bad.npy: "));
  write("aqbench.json",
        R"({"version": 1, "methods": [{"name": "a", "command": "x {output}", "gives": "poses"}]})");
  expect_mistake(run(words(asked + "a")), "gives: needs \"result\", the file or folder in {output}");
}

}  // namespace
}  // namespace aqbench::testing
