// Protocols of files in sweeps: depth maps, point maps, images and poses of declared methods.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/images/image_file.h"
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
    succeeded(run("render flat_plane --rig arc6 --width 32 --height 24 --mesh-pitch-mm 50 --out data"));
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

  // True poses, moved by `shift`, as TUM's lines with the names of the cameras or their numbers as times.
  void write_poses(const std::string& file, double shift, bool numbered = false) const {
    std::string lines;
    for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
      const Camera& camera = rig_.cameras[i];
      const Vec3 centre = camera_centre_m(camera.camera_from_world);
      const Eigen::Quaterniond turn(Eigen::Matrix3d(camera.camera_from_world.rotation.transpose()));
      lines +=
          fmt::format("{} {} {} {} {} {} {} {}\n", numbered ? std::to_string(i) : camera.name,
                      centre.x() + shift, centre.y(), centre.z(), turn.x(), turn.y(), turn.z(), turn.w());
    }
    write(file, lines);
  }

  // The images of every third camera, brighter by `offset`.
  void write_renders(const std::string& folder, float offset) const {
    fs::create_directories(dir_ / folder);
    for (const char* const camera : {"cam00", "cam03"}) {
      const fs::path file = dir_ / "data/images" / camera / "000000.png";
      const RgbImage image = decode_rgb_png(read_file(file), file.string());
      std::vector<float> values;
      for (const unsigned char byte : image.bytes)
        values.push_back(std::min(static_cast<float>(byte) / 255 + offset, 1.0F));
      write_npy(dir_ / folder / (std::string(camera) + ".npy"), values,
                std::vector{kMapHeight, kMapWidth, std::size_t{3}});
    }
  }

  // True depths, points, poses and images that are held out as files of their own.
  void write_truths() const {
    for (const char* const folder : {"truth/depths", "truth/images"}) fs::create_directories(dir_ / folder);
    for (const Camera& camera : rig_.cameras)
      fs::copy_file(dir_ / "data/truth" / camera.name / "depth.npy",
                    dir_ / "truth/depths" / (camera.name + ".npy"));
    for (const std::string camera : {"cam00", "cam03"})
      fs::copy_file(dir_ / "data/images" / camera / "000000.png", dir_ / "truth/images" / (camera + ".png"));
    write_points("truth/points.npy", Vec3::Zero());
    write_poses("truth/poses.txt", 0, true);
  }

  // A grid of points on a level plane, also as a mesh.
  void write_plane(const std::string& file, double z_m, bool mesh = false) const {
    constexpr int kColumns = 101, kRows = 61;
    std::string points, faces;
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column) {
        points += fmt::format("{} {} {}\n", -0.25 + 0.005 * column, -0.15 + 0.005 * row, z_m);
        const int at = row * kColumns + column;
        if (row > 0 && column > 0)
          faces += fmt::format("4 {} {} {} {}\n", at - kColumns - 1, at - kColumns, at, at - 1);
      }
    write(file, mesh ? fmt::format("ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty "
                                   "float y\nproperty float z\nelement face {}\nproperty list uchar int "
                                   "vertex_indices\nend_header\n{}{}",
                                   kColumns * kRows, (kColumns - 1) * (kRows - 1), points, faces)
                     : points);
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
  write_truths();
  const json files = metrics_of("files", "depth");
  EXPECT_NEAR(value(files, "depth_abs_rel"), 0.02, 1e-7);
  const json record =
      document_of(run("eval maps --truth truth/depths --protocol depth --json")).at("records").at(0);
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

// The program sees which views are held out, and no images of them.
TEST_F(FileProtocols, ImagesOfHeldOutViewsScoreAsInEvalBesideACloud) {
  write_truths();
  write_renders("made", 0.02F);
  write_plane("plane.xyz", 1.178);
  write("render.py", R"(import json, os, shutil, sys
dataset, output = sys.argv[1:]
seen = json.load(open(dataset + "/calibration.json"))["cameras"]
os.mkdir(output + "/r")
for camera in json.load(open(dataset + "/held_out.json"))["cameras"]:
    assert camera not in seen and not os.path.exists(dataset + "/images/" + camera)
    shutil.copy("made/" + camera + ".npy", output + "/r")
shutil.copy("plane.xyz", output + "/cloud.xyz")
)");
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "alone", "command": "python3 render.py {dataset} {output}", "gives": "images", "result": "r"},
    {"name": "beside", "command": "python3 render.py {dataset} {output}", "result": "cloud.xyz", "images": "r"}]})");
  const std::string held_out = " --set dataset.hold_out=3";
  for (const char* const protocol : {"images", "images-3dgs"}) {
    const json record =
        document_of(run("eval made --truth truth/images --json --protocol {}", protocol)).at("records").at(0);
    EXPECT_EQ(metrics_of("alone" + held_out, protocol), record.at("metrics"));
    EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  }
  const json beside = metrics_of("beside" + held_out, "images");
  EXPECT_NEAR(value(beside, "images_psnr"), -20 * std::log10(0.02), 0.05);  // a few pixels are cut at 1
  EXPECT_EQ(value(beside, "images_images"), 2);
  EXPECT_THAT(swept_.out, HasSubstr("images_psnr [dB]"));
  EXPECT_NEAR(value(beside, "accuracy_mean_mm"), 0, 1e-4);
  fs::remove(dir_ / "made/cam03.npy");
  write("render.sh", "cp -r made $1/r");
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "less", "command": "sh render.sh {output}", "gives": "images", "result": "r"}]})");
  const json less = sweep("less",
                          words("--scene flat_plane --rig arc6 --width 32 --height 24 --method less "
                                "--set dataset.hold_out=3 --protocol images"),
                          3);
  EXPECT_THAT(less["records"][0]["reason"].get<std::string>(), HasSubstr("has no file called cam03"));
}

// A protocol of a family of files.
struct FamilyOfFiles {
  const char *gives, *protocol, *knobs, *file, *truth, *metric;
  double step, tolerance;                                        // what an error of one step gives
  std::function<void(const std::string& file, int steps)> make;  // a file with such an error
};

class EachFamily : public FileProtocols {
 protected:
  // What eval gives for the file, a sweep has.
  void compare(const FamilyOfFiles& family, int steps) {
    family.make(family.file, steps);
    Arguments asked = words("eval {} --json --protocol {}", family.file, family.protocol);
    asked = with(asked, words(family.truth));
    const std::string knobs = family.knobs;
    if (!knobs.empty())
      for (const std::string_view knob : split_at(knobs, ':'))
        asked = with(asked, {"--knob", std::string(knob)});
    const json evaluated = document_of(run(asked)).at("records").at(0).at("metrics");
    EXPECT_NEAR(value(evaluated, family.metric), family.step * steps, family.tolerance * steps);
    const std::string method =
        family.gives == std::string("images") ? "m --set dataset.hold_out=3" : std::string("m");
    const json swept = metrics_of(method, family.protocol + (knobs.empty() ? "" : ":" + knobs));
    for (const auto& [name, metric] : evaluated.items()) {  // the digits of a file's poses are those of text
      EXPECT_EQ(swept.value(name, json()).value("unit", ""), metric.at("unit")) << name;
      if (metric.at("value").is_null())
        EXPECT_EQ(swept.at(name), metric);
      else
        EXPECT_NEAR(value(swept, name), value(evaluated, name), 1e-12) << name;
    }
  }
};

// The same file through eval, a sweep, a gate and the table of a paper.
TEST_F(EachFamily, HasOneValueInEvalSweepGateAndPaper) {
  write_truths();
  const std::vector<FamilyOfFiles> families = {
      {"cloud", "dtu", "", "cloud.xyz", "--scene flat_plane", "dtu_accuracy_mean_mm", 1, 0.06,
       [&](const std::string& file, int steps) { write_plane(file, 1.178 + 0.001 * steps); }},
      {"cloud", "dtu-mesh", "thinning_m=0.002", "mesh.ply", "--scene flat_plane", "dtu_mesh_accuracy_mean_mm",
       1, 0.06, [&](const std::string& file, int steps) { write_plane(file, 1.178 + 0.001 * steps, true); }},
      {"poses", "poses", "alignment=none", "poses.txt", "--truth truth/poses.txt", "poses_ate_rmse", 0.01,
       1e-9, [&](const std::string& file, int steps) { write_poses(file, 0.01 * steps, true); }},
      {"depth_maps", "depth", "", "maps", "--truth truth/depths", "depth_abs_rel", 0.01, 1e-6,
       [&](const std::string& file, int steps) {
         write_depths(file, 1 + 0.01F * static_cast<float>(steps));
       }},
      {"point_maps", "point-maps", "align=none:icp_m=0", "points.npy", "--truth truth/points.npy",
       "point_maps_accuracy_mean", 0.001, 1e-7,
       [&](const std::string& file, int steps) { write_points(file, Vec3(0, 0, 0.001 * steps)); }},
      {"images", "images", "eight_bit=round", "renders", "--truth truth/images", "images_mae", 0.01, 4e-3,
       [&](const std::string& file, int steps) { write_renders(file, 0.01F * static_cast<float>(steps)); }}};
  for (const FamilyOfFiles& family : families) {
    SCOPED_TRACE(family.protocol);
    const std::string baseline = std::string(family.protocol) + ".json";
    write("aqbench.json",
          fmt::format(R"({{"version": 1, "methods": [{{"name": "m", "given": "{}", "gives": "{}"}}]}})",
                      family.file, family.gives));
    compare(family, 1);
    succeeded(run({"accept", bundle_, "--baseline", baseline, "--leave-out-undefined"}));
    for (const int steps : {1, 3}) {
      compare(family, steps);
      EXPECT_EQ(run({"gate", bundle_, "--baseline", baseline}).exit_code, steps == 1 ? 0 : 1);
    }
    const std::string table = succeeded(run({"export", bundle_, "--latex", "--metric", family.metric})).out;
    EXPECT_THAT(table, HasSubstr("begin{tabular}"));
    EXPECT_THAT(table, HasSubstr("\nm & "));
  }
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
