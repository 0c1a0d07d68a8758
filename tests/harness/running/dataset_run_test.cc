// `aqbench run` below its command line: datasets and recordings of every layout.
#include "harness/running/dataset_run.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/processes/isolate.h"
#include "core/sha256.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/dataset.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "scenes/surfaces/shapes.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::SizeIs;

// Returns a line of a shell script that writes points, "x y z" each.
std::string writes(const std::vector<std::string>& points) {
  std::string text = "printf 'ply\\nformat ascii 1.0\\nelement vertex " + std::to_string(points.size()) +
                     "\\nproperty float x\\nproperty float y\\nproperty float z\\nend_header\\n";
  for (const std::string& point : points) text += point + "\\n";
  return text + "' > \"$2/cloud.ply\"\n";
}

// 1 mm below the plane.
const std::string kThreeWrittenPoints = writes({"0 0 1.179", "0.1 0 1.179", "0 0.1 1.179"});

// A run of a shell script, with $1 the dataset and $2 the output folder.
class RunOfData : public testing::Test {
 protected:
  RunOfData() {
    request_.method = "external";
    request_.dataset_dir = folder_.path() / "data";
    request_.out_dir = folder_.path() / "out/mine/";
    request_.timeout_s = 60;
  }
  void use(const std::string& body) {
    std::ofstream(folder_.path() / "script.sh") << body;
    request_.sets = {parse_override("external.command=/bin/sh " + (folder_.path() / "script.sh").string() +
                                    " {dataset} {output}")};
  }
  DatasetRun run_well() const {
    DatasetRun run = run_on_dataset(request_);
    EXPECT_EQ(run.record.status, Status::ok) << run.record.reason;
    return run;
  }
  std::string error_with(ErrorKind kind, const std::function<void(DatasetRunRequest&)>& change) const {
    DatasetRunRequest request = request_;
    change(request);
    return error_of(kind, [&] { run_on_dataset(request); });
  }
  std::string what_it_printed() const {
    std::ifstream log(request_.out_dir / "command.log");
    return {std::istreambuf_iterator<char>(log), {}};
  }

  test::TemporaryFolder folder_;
  DatasetRunRequest request_;
};

// ---- What aqbench has rendered ----

class DatasetRunTest : public RunOfData {
 protected:
  DatasetRunTest() {
    const IsolateOutcome made = run_isolated(
        [&] {
          DatasetRequest request;
          request.scene = "flat_plane";
          request.rig = "single_pair";
          request.width_px = 64;
          write_dataset(plan_dataset(request), folder_.path() / "data");
          return std::string();
        },
        {.timeout_s = 60});
    EXPECT_EQ(made.end, IsolateOutcome::End::ok);
  }
};

TEST_F(DatasetRunTest, WritesAndScoresWhatTheMethodGives) {
  use("echo said; ls $1\n" + kThreeWrittenPoints);
  const DatasetRun run = run_well();
  EXPECT_NEAR(*find_metric(run.record.metrics, "accuracy_mean_mm")->value, 1, 1e-4);
  EXPECT_EQ(run.record.scene, "dataset:data");
  EXPECT_EQ(run.record.case_name, "data/external");
  EXPECT_EQ(run.points, 3U);
  EXPECT_THAT(read_ply(request_.out_dir / "cloud.ply").cloud.points_m, SizeIs(3));
  EXPECT_EQ(what_it_printed(), "said\ncalibration.json\nimages\n");
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { run_on_dataset(request_); }), HasSubstr("not empty"));
}

TEST_F(DatasetRunTest, AFailureLeavesNothing) {
  use("exit 4");
  const DatasetRun run = run_on_dataset(request_);
  EXPECT_EQ(run.record.status, Status::failed);
  EXPECT_THAT(run.record.reason, HasSubstr("exit code 4"));
  EXPECT_FALSE(std::filesystem::exists(request_.out_dir));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "out"));
}

TEST_F(DatasetRunTest, WhatCannotBeScoredIsKeptAndFailed) {
  use(writes({"0 0 1179", "100 0 1179", "0 100 1179"}));
  const DatasetRun run = run_on_dataset(request_);
  EXPECT_EQ(run.record.status, Status::failed);
  EXPECT_THAT(run.record.reason, HasSubstr("declare the unit (mm)"));
  EXPECT_THAT(run.record.metrics, SizeIs(0));
  EXPECT_TRUE(run.kept);
  EXPECT_THAT(read_ply(request_.out_dir / "cloud.ply").cloud.points_m, SizeIs(3));
}

TEST_F(DatasetRunTest, ADatasetWithoutTruthHasNoAccuracy) {
  std::filesystem::remove_all(folder_.path() / "data/truth");
  use(kThreeWrittenPoints);
  const DatasetRun run = run_well();
  EXPECT_EQ(find_metric(run.record.metrics, "accuracy_mean_mm"), nullptr);
  EXPECT_NE(find_metric(run.record.metrics, "photometric_points"), nullptr);
}

TEST_F(DatasetRunTest, MistakesAreNamedBeforeAnythingRuns) {
  use("touch " + (folder_.path() / "ran").string());
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto& r) { r.method = "spars"; }),
              HasSubstr("did you mean sparse"));
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto& r) { r.method = "roma_like"; }),
              HasSubstr("is simulated"));
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto& r) { r.preset = "fast"; }), HasSubstr("preset"));
  EXPECT_THAT(error_with(ErrorKind::usage,
                         [](auto& r) {
                           r.depth_range_m = ManualDepthRange{0.1, 0.2};
                         }),
              HasSubstr("--depth-range: not supported by method external"));
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto& r) { r.sets = {parse_override("sparse.keypoints=5")}; }),
              HasSubstr("the method is external"));
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto& r) { r.frame = 1; }), HasSubstr("data has frame 0 only"));
  EXPECT_THAT(error_with(ErrorKind::input, [](auto& r) { r.dataset_dir = "/nowhere"; }),
              HasSubstr("/nowhere"));
  const std::filesystem::path image = request_.dataset_dir / "images/cam01/000000.png";
  const std::string whole = read_file(image);
  write_file(image, whole.substr(0, whole.size() / 2));
  EXPECT_THAT(error_with(ErrorKind::input, [](auto&) {}), HasSubstr(image.string() + ": is truncated"));
  std::filesystem::remove(image);
  EXPECT_THAT(error_with(ErrorKind::input, [](auto&) {}),
              testing::AllOf(HasSubstr("camera 'cam01': no PNG"), HasSubstr("images/cam01/")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "ran"));
}

// ---- Recordings ----

class RecordingRun : public RunOfData {
 protected:
  void add(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((request_.dataset_dir / name).parent_path());
    write_file(request_.dataset_dir / name, bytes);
  }
  static std::string image(std::uint16_t grey) {
    return encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, grey));
  }
  // A square of 0.24 m at z = 1.178 m, in millimetres.
  static std::string scan() {
    return "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
           "element face 2\nproperty list uchar int vertex_indices\nend_header\n-120 -120 1178\n120 -120 "
           "1178\n"
           "120 120 1178\n-120 120 1178\n3 0 1 2\n3 0 2 3\n";
  }
  void add_frames() const {
    const Rig rig =
        make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
    add("cam00/t0.png", image(100));
    write_calibration(request_.dataset_dir / "calibration.json", rig, {"d", "s", "h"});
    std::uint16_t grey = 0;
    for (const Camera& camera : rig.cameras)
      for (const char* const frame : {"t0", "t1", "t2"})
        add(camera.name + "/" + frame + ".png", image(grey = static_cast<std::uint16_t>(grey + 20)));
  }
};

TEST_F(RecordingRun, OneOfSeveralFramesIsGivenAndScoredByAScan) {
  add_frames();
  add("truth/truth.json", R"({"surface": {"file": "scan_{frame}.ply", "unit": "mm"}})");
  for (const char* const frame : {"0", "1", "2"})
    add("truth/scan_00000" + std::string(frame) + ".ply", scan());
  use("sha256sum < $1/images/cam00/000000.png; ls $1/images/cam01\n" + kThreeWrittenPoints);
  request_.frame = 3;
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto&) {}), HasSubstr("data has frames 0 to 2"));
  request_.frame = 2;
  const DatasetRun run = run_well();
  EXPECT_EQ(run.record.case_name, "data/external/frame=2");
  EXPECT_NEAR(*find_metric(run.record.metrics, "accuracy_mean_mm")->value, 1, 1e-3);
  EXPECT_EQ(what_it_printed(),
            sha256_hex(read_file(request_.dataset_dir / "cam00/t2.png")) + "  -\n000000.png\n");
}

TEST_F(RecordingRun, ATruthOutsideOfTheFolderCounts) {
  add_frames();
  write_file(folder_.path() / "scan.ply", scan());
  use(kThreeWrittenPoints);
  request_.declared_truth = {Json{{"surface", {{"file", "scan.ply"}, {"unit", "mm"}}}}, folder_.path(),
                             "aqbench.json"};
  const DatasetRun run = run_well();
  EXPECT_NEAR(*find_metric(run.record.metrics, "accuracy_mean_mm")->value, 1, 1e-3);
}

TEST_F(RecordingRun, AFlatFolderWithACamerasFile) {
  add("left.png", image(90));
  add("cameras.json",
      R"({"water": {"z_m": 0.5, "n_water": 1.333}, "cameras": [{"image": "left.png", "size": [16, 12],
        "K": [[20, 0, 8], [0, 20, 6], [0, 0, 1]], "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "t_m": [0, 0, 0]}]})");
  use("test -e $1/images/left/000000.png && " + kThreeWrittenPoints);
  const DatasetRun run = run_well();
  add("cameras.json", R"({"cameras": []})");
  request_.out_dir = folder_.path() / "again";
  EXPECT_THAT(error_with(ErrorKind::input, [](auto&) {}), HasSubstr("cameras.json: "));
}

// The camera looks along the model's +x, and methods see it so.
TEST_F(RecordingRun, AModelOfColmapHasItsCloudInItsOwnFrame) {
  add("images/a.png", image(90));
  add("sparse/0/cameras.txt", "1 PINHOLE 16 12 20 20 8 6\n");
  add("sparse/0/images.txt", "1 0.70710678118654757 0 -0.70710678118654757 0 0 0 0 1 a.png\n\n");
  use("! grep -q water_z $1/calibration.json && test -e $1/images/a/000000.png && " +
      writes({"1.179 0 0", "1.279 0 0"}));
  const DatasetRun run = run_well();
  const auto points_m = read_ply(request_.out_dir / "cloud.ply").cloud.points_m;
  ASSERT_THAT(points_m, SizeIs(2));
  EXPECT_NEAR((points_m[0] - Vec3(1.179, 0, 0)).norm(), 0, 1e-6);
}

// Twelve cameras about a ball of facets, one of them upside down: the points of the method lie 2 mm outside
// of three corners of the true mesh, and the cameras see the surface all around.
TEST_F(RecordingRun, AnOrbitAsAModelOfColmap) {
  Rig rig =
      make_rig("orbit", {{"orbit", "width", "64"}, {"orbit", "height", "48"}, {"orbit", "radius_m", "2"}}, 1);
  rig.cameras.resize(12);
  for (std::size_t i = 0; i < 12; ++i) {
    CameraFromWorld& pose = rig.cameras[i].camera_from_world;
    if (i == 5) {
      const Mat3 roll = Vec3(-1, -1, 1).asDiagonal();  // half a turn about the axis
      pose = {roll * pose.rotation, roll * pose.translation_m};
    }
    add("images/" + rig.cameras[i].name + ".png",
        encode_png(64, 48, 8, std::vector<std::uint16_t>(64 * 48, 90)));
  }
  std::filesystem::create_directories(request_.dataset_dir / "sparse/0");
  write_colmap_model(request_.dataset_dir / "sparse/0", rig, "x");
  std::string images = read_file(request_.dataset_dir / "sparse/0/images.txt");
  for (std::size_t at = 0; (at = images.find("/x\n")) != std::string::npos;) images.replace(at, 2, ".png");
  add("sparse/0/images.txt", images);
  write_ply_mesh(folder_.path() / "ball.ply", object_mesh({.radius_m = 0.5, .relief = 0, .facets = 32}));
  request_.declared_truth = {Json{{"surface", {{"file", "ball.ply"}, {"unit", "m"}}}}, folder_.path(),
                             "aqbench.json"};
  use(writes({"0.502 0 0", "0 0.502 0", "0 0 -0.502"}));
  const DatasetRun run = run_well();
  EXPECT_NEAR(*find_metric(run.record.metrics, "accuracy_mean_mm")->value, 2, 1e-3);
  EXPECT_NEAR(*find_metric(run.record.metrics, "bias_mean_mm")->value, 2, 1e-3);
  EXPECT_NE(find_metric(run.record.metrics, "completeness_seen2_2mm_pct"), nullptr);
}

}  // namespace
}  // namespace aqbench
