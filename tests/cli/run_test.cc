// aqbench run, as a user runs it.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"
#include "scenes/images/image_file.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;

class Run : public Folder {
 protected:
  Run() {
    succeeded(Folder::run("render flat_plane --rig single_pair --width 48 --mesh-pitch-mm 50 --out data"));
  }

  ProgramResult run(const Arguments& more, const ProgramOptions& options = {}) const {
    return run_program(with(words("run external --dataset {} --out {}", dir_ / "data", dir_ / "out"), more),
                       options);
  }
  std::string command(const std::string& body) const {
    write("script.sh", body);
    return "external.command=/bin/sh " + (dir_ / "script.sh").string() + " {dataset} {output}";
  }
};

const std::string kOnePoint = shell_cloud("$2/cloud.ply", {"0 0 1.180"});

// The folder is a bundle like that of a sweep, with what the method gave beside its record.
TEST_F(Run, LeavesABundleWithTheOutput) {
  const json shown = document_of(run({"--json", "--set", command("ls $1\n" + kOnePoint)}));
  const json& record = shown.at("records").at(0);
  EXPECT_EQ(record["case"], "dataset:data/external/seed=42");
  EXPECT_NEAR(record["metrics"]["accuracy_mean_mm"]["value"].get<double>(), 2, 1e-4);
  EXPECT_EQ(record["stages"][1]["name"], "external_command");
  EXPECT_FALSE(record["isolation"].get<std::string>().empty());
  EXPECT_EQ(record["dataset_sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(json_file(dir_ / "out/results.json"), shown);
  EXPECT_EQ(read_ply(dir_ / "out/cloud.ply").cloud.points_m.size(), 1U);
  EXPECT_EQ(read_file(std::filesystem::directory_iterator(dir_ / "out/logs")->path()),
            "calibration.json\nimages\n");
  succeeded(run_line("verify {}", dir_ / "out"));
  succeeded(run_line("replay {} --all --run-its-commands", dir_ / "out"));
  expect_mistake(run({"--set", command("true")}), "not empty");
}

TEST_F(Run, KeepsDepthMaps) {
  succeeded(
      run_line("run plane_sweep:fast --dataset {} --out {} --set plane_sweep.depth_range_m=0.1:0.3 --set "
               "plane_sweep.min_views=0 --set plane_sweep.refinements=0 --set plane_sweep.min_confidence=0 "
               "--set plane_sweep.surface=none",
               dir_ / "data", dir_ / "out"));
  const NpyArray depth = read_npy(dir_ / "out/depth/cam00.npy");
  EXPECT_EQ(depth.shape, (std::vector<std::size_t>{36, 48}));
  for (const float depth_m : std::get<std::vector<float>>(depth.values))
    EXPECT_TRUE(std::isnan(depth_m) || (depth_m >= 0.095F && depth_m <= 0.305F)) << depth_m;
  EXPECT_EQ(read_npy(dir_ / "out/depth/cam01_confidence.npy").shape, depth.shape);
}

// One camera's image is missing: no method runs, whatever it looks at.
TEST_F(Run, ACameraWithoutAnImageIsNamed) {
  std::filesystem::remove(dir_ / "data/images/cam01/000000.png");
  expect_mistake(run({"--set", command("touch " + (dir_ / "ran").string())}),
                 "camera 'cam01': no PNG, JPEG or TIFF file in images/cam01/");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "ran"));
}

// Two frames, and a scan that the project file declares.
TEST_F(Run, ARecordingIsRunByFrameAndScoredByTheProjectsTruth) {
  for (const std::string camera : {"cam00", "cam01"})
    std::filesystem::copy(dir_ / ("data/images/" + camera + "/000000.png"),
                          dir_ / ("data/images/" + camera + "/000001.png"));
  std::filesystem::rename(dir_ / "data/truth/surface.ply", dir_ / "scan.ply");
  std::filesystem::remove_all(dir_ / "data/truth");
  write("aqbench.json", R"({"version": 1, "datasets": {"tank": {"directory": "data",
      "truth": {"surface": {"file": "scan.ply", "unit": "m"}}}}})");
  const auto run_tank = [&](const char* frame) {
    return run_line("run external --dataset tank --out {} --json --set {} --frame {} --project {}",
                    dir_ / "out", command("ls $1/images/cam00\n" + kOnePoint), frame, dir_ / "aqbench.json");
  };
  const json shown = document_of(run_tank("1"));
  EXPECT_EQ(shown.at("records").at(0).at("options").at("dataset.frame"), 1);
  EXPECT_NEAR(shown.at("records").at(0).at("metrics").at("accuracy_mean_mm").at("value").get<double>(), 2,
              1e-3);
  std::filesystem::remove_all(dir_ / "out");
  expect_mistake(run_tank("2"), "dataset.frame");
}

TEST_F(Run, AFlatFolderWithACamerasFile) {
  std::filesystem::create_directory(dir_ / "flat");
  write_file(dir_ / "flat/left.png", encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, 90)));
  write("flat/cameras.json",
        R"({"water": {"z_m": 0.5, "n_water": 1.333}, "cameras": [{"image": "left.png", "size": [16, 12],
        "K": [[20, 0, 8], [0, 20, 6], [0, 0, 1]], "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "t_m": [0, 0, 0]}]})");
  succeeded(run_line("run external --dataset {} --out {} --set {}", dir_ / "flat", dir_ / "out",
                     command("test -e $1/images/left/000000.png && " + kOnePoint)));
}

// The camera looks along the model's +x, and the cloud stays in the model's frame.
TEST_F(Run, AModelOfColmapHasItsCloudInItsOwnFrame) {
  std::filesystem::create_directories(dir_ / "walk/images");
  std::filesystem::create_directories(dir_ / "walk/sparse/0");
  write_file(dir_ / "walk/images/a.png", encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, 90)));
  write("walk/sparse/0/cameras.txt", "1 PINHOLE 16 12 20 20 8 6\n");
  write("walk/sparse/0/images.txt", "1 0.70710678118654757 0 -0.70710678118654757 0 0 0 0 1 a.png\n\n");
  succeeded(run_line("run external --dataset {} --out {} --set {}", dir_ / "walk", dir_ / "out",
                     command("! grep -q water_z $1/calibration.json && test -e $1/images/a/000000.png && " +
                             shell_cloud("$2/cloud.ply", {"1.179 0 0", "1.279 0 0"}))));
  const auto points_m = read_ply(dir_ / "out/cloud.ply").cloud.points_m;
  ASSERT_EQ(points_m.size(), 2U);
  EXPECT_NEAR((points_m[0] - Vec3(1.179, 0, 0)).norm(), 0, 1e-6);
}

TEST_F(Run, AFailureIsExitCode3WithItsReason) {
  const auto failed = exits(run({"--set", command("echo no licence >&2; exit 5")}), 3);
  EXPECT_NE(failed.err.find("exit code 5; it said: no licence"), std::string::npos) << failed.err;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out/cloud.ply"));
  std::filesystem::remove_all(dir_ / "out");
  const auto slow = exits(run(words("--set {} --timeout 1 --json", command("sleep 30"))), 3);
  EXPECT_EQ(json::parse(slow.out).at("records").at(0).at("status"), "timeout");
}

TEST_F(Run, WhatCannotBeScoredIsKept) {
  exits(run({"--set", command(shell_cloud("$2/cloud.ply", {"0 0 1179", "100 0 1179", "0 100 1179"}))}), 3);
  EXPECT_EQ(read_ply(dir_ / "out/cloud.ply").cloud.points_m.size(), 3U);
  EXPECT_NE(json_file(dir_ / "out/results.json")["records"][0]["reason"].get<std::string>().find(
                "declare the unit (mm)"),
            std::string::npos);
}

TEST_F(Run, MistakesAreUsageErrors) {
  const auto expect_error = [&](const Arguments& more, const char* why) { expect_mistake(run(more), why); };
  expect_error({"--depth-range", "0.1:0.3"}, "--set plane_sweep.depth_range_m=LOW:HIGH");
  expect_error({"--set", "external.comand=x"}, "did you mean command");
  expect_error({"--set", "sparse.keypoints=5"}, "sparse");
  expect_error({"--threads", "0"}, "--threads 0");
  expect_mistake(run_line("run sparse --out {}", dir_ / "out"), "--dataset is missing");
  expect_mistake(run_line("run sparse --dataset {}", dir_ / "data"), "--out is missing");
  expect_mistake(run_line("run spars --dataset {} --out {}", dir_ / "data", dir_ / "out"),
                 "did you mean sparse");
  expect_mistake(run_line("run roma_like --dataset {} --out {}", dir_ / "data", dir_ / "out"), "simulated");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

}  // namespace
}  // namespace aqbench::testing
