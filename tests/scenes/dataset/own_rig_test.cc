#include "scenes/dataset/own_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/dataset.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/registry.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kReach_m = 0.6, kSide_m = 0.2;
const Vec2 kMiddle_px(159.5, 119.5);

// Five cameras in one plane: the axes of the outer four meet that of the first kReach_m in front of it.
Rig star(const Vec3& middle_m, const Mat3& world_from_rig = Mat3::Identity()) {
  Rig rig;
  for (const Vec3& place : {Vec3(0, 0, 0), Vec3(kSide_m, 0, 0), Vec3(-kSide_m, 0, 0), Vec3(0, kSide_m, 0),
                            Vec3(0, -kSide_m, 0)}) {
    const Vec3 forward = (Vec3(0, 0, kReach_m) - place).normalized();
    Camera camera;
    camera.name = "view" + std::to_string(rig.cameras.size());
    camera.intrinsics.width_px = 320;
    camera.intrinsics.height_px = 240;
    camera.intrinsics.K << 300, 0, kMiddle_px.x(), 0, 300, kMiddle_px.y(), 0, 0, 1;
    const Mat3 rotation =
        Eigen::Quaterniond::FromTwoVectors(world_from_rig * forward, Vec3::UnitZ()).toRotationMatrix();
    const Vec3 centre_m = middle_m + world_from_rig * place;
    camera.camera_from_world = {rotation, -(rotation * centre_m)};
    rig.cameras.push_back(camera);
  }
  return rig;
}

class OwnRig : public ::testing::Test {
 protected:
  std::string colmap(const Rig& rig) const {
    fs::create_directories(dir_ / "sparse/0");
    write_colmap_model(dir_ / "sparse/0", rig, "000000.png");
    return (dir_ / "sparse/0").string();
  }
  std::string calibration(const Rig& rig) const {
    write_calibration(dir_ / "tank.json", rig, {"1970-01-01T00:00:00Z", "test", "none"});
    return (dir_ / "tank.json").string();
  }
  static Rig make(const std::string& file, const std::vector<Override>& settings) {
    const RigSpec& spec = rig_spec(file);
    const Scene scene = make_scene("flat_plane", {});
    return make_scene_rig(file, resolve_parameters(spec.name, spec.parameters, settings), 7, &scene).rig;
  }
  static Vec3 centre(const Camera& camera) { return camera_centre_m(camera.camera_from_world); }
  static Vec2 seen(const Camera& camera, const Vec3& point_m) {
    return project(refractive_camera(camera), point_m).value().pixel;
  }
  static DatasetPlan plan(const std::string& rig, const std::vector<Override>& settings = {}) {
    DatasetRequest request;
    request.scene = "flat_plane";
    request.rig = rig;
    request.overrides = settings;
    return plan_dataset(request);
  }
  static std::string refused(ErrorKind kind, const std::string& file, const std::vector<Override>& settings) {
    return error_of(kind, [&] { make(file, settings); });
  }

  const TemporaryDirectory dir_;
  const Vec3 middle_m_{0, 0, 1.178};  // of flat_plane's patch
};

TEST_F(OwnRig, TheSceneStandsWhereTheAxesOfAColmapModelMeet) {
  const Rig rig = make(colmap(star({5, -3, 0})), {});
  ASSERT_EQ(rig.cameras.size(), 5u);
  for (const Camera& camera : rig.cameras)
    EXPECT_LT((seen(camera, middle_m_) - kMiddle_px).norm(), 1e-6) << camera.name;
  EXPECT_NEAR(centre(rig.cameras[0]).z(), 1.178 - kReach_m, 1e-9);
}

TEST_F(OwnRig, WaterBelowTheCamerasMovesWithThem) {
  const Rig rig =
      make(colmap(star({5, -3, 2})), {{"rig", "water_below_m", "0.4"}, {"rig", "n_water", "1.34"}});
  const WaterInterface water = level_water(rig).value();
  EXPECT_NEAR(water.water_z_m - centre(rig.cameras[0]).z(), 0.4, 1e-12);
  EXPECT_EQ(water.n_water, 1.34);
  // Snell's law for the outer cameras, whose rays reach the axis of the first at this depth below the water.
  const double slope = kSide_m / kReach_m, sine = std::sin(std::atan(slope)) / 1.34;
  const double depth_m = (kSide_m - 0.4 * slope) / (sine / std::sqrt(1 - sine * sine));
  EXPECT_NEAR(water.water_z_m + depth_m, 1.178, 1e-9);
  for (const Camera& camera : rig.cameras)
    EXPECT_LT((seen(camera, middle_m_) - kMiddle_px).norm(), 1e-6) << camera.name;
}

TEST_F(OwnRig, ADryRigTurnsToAPatch) {
  const Mat3 sideways = Eigen::AngleAxisd(1.3, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  const Rig rig = make(colmap(star({1, 2, 3}, sideways)), {});
  const Vec3 forward = rig.cameras[0].camera_from_world.rotation.row(2);
  EXPECT_LT((forward - Vec3::UnitZ()).norm(), 1e-9);
  for (const Camera& camera : rig.cameras)
    EXPECT_LT((seen(camera, middle_m_) - kMiddle_px).norm(), 1e-6) << camera.name;
}

TEST_F(OwnRig, ParallelAxesNeedADistance) {
  Rig pair = star({0, 0, 0});
  pair.cameras.resize(2);
  for (Camera& camera : pair.cameras) camera.camera_from_world.rotation = Mat3::Identity();
  pair.cameras[1].camera_from_world.translation_m = Vec3(-0.1, 0, 0);
  const std::string file = calibration(pair);
  EXPECT_THAT(refused(ErrorKind::input, file, {}), HasSubstr("do not meet; give the distance of the scene"));
  const Rig rig = make(file, {{"rig", "distance_m", "0.8"}});
  EXPECT_LT((centre(rig.cameras[0]) - Vec3(-0.05, 0, 1.178 - 0.8)).norm(), 1e-12);
}

TEST_F(OwnRig, AxesThatMeetBehindACameraAreRefused) {
  Rig apart = star({0, 0, 0});
  const Mat3 back = Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitX()).toRotationMatrix();
  for (Camera& camera : apart.cameras) {
    CameraFromWorld& pose = camera.camera_from_world;
    pose = {back * pose.rotation, back * pose.translation_m};  // about the camera's centre
  }
  EXPECT_THAT(refused(ErrorKind::input, calibration(apart), {}), HasSubstr("meet behind camera 'view0'"));
}

TEST_F(OwnRig, TheFileMayPlaceItself) {
  Rig given = star({0, 0, 0.5});
  set_interface(given, WaterInterface{.water_z_m = 0.9});
  const Rig rig = make(calibration(given), {{"rig", "place", "file"}});
  ASSERT_EQ(rig.cameras.size(), given.cameras.size());
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
    EXPECT_EQ(rig.cameras[i].camera_from_world.translation_m,
              given.cameras[i].camera_from_world.translation_m);
    EXPECT_EQ(rig.cameras[i].interface, given.cameras[i].interface);
  }
}

TEST_F(OwnRig, AScaledImageShowsTheSame) {
  const std::string file = colmap(star({0, 0, 0}));
  const Camera whole = make(file, {}).cameras[1], half = make(file, {{"rig", "scale", "0.5"}}).cameras[1];
  EXPECT_EQ(half.intrinsics.width_px, 160);
  EXPECT_EQ(half.intrinsics.height_px, 120);
  const Vec2 corner(0.5, 0.5), at = seen(whole, {0.05, 0.04, 1.178});
  EXPECT_LT((seen(half, {0.05, 0.04, 1.178}) - ((at + corner) / 2 - corner)).norm(), 1e-9);
}

TEST_F(OwnRig, JitterMovesEachCameraByItsSeed) {
  const std::string file = colmap(star({0, 0, 0}));
  const Rig exact = make(file, {}), jittered = make(file, {{"rig", "jitter_position_m", "0.01"}});
  for (std::size_t i = 0; i < exact.cameras.size(); ++i) {
    const double moved_m = (centre(exact.cameras[i]) - centre(jittered.cameras[i])).norm();
    EXPECT_GT(moved_m, 1e-4);
    EXPECT_LT(moved_m, 0.06);
  }
}

TEST_F(OwnRig, WhatMakesNoSenseIsRefused) {
  const std::string dry = colmap(star({0, 0, 0}));
  EXPECT_THAT(refused(ErrorKind::usage, dry, {{"rig", "n_water", "1.3"}}), HasSubstr("the rig has no water"));
  Rig ports = star({0, 0, 0});
  set_interface(ports, Port{});
  EXPECT_THAT(refused(ErrorKind::usage, calibration(ports), {{"rig", "water_below_m", "0.3"}}),
              HasSubstr("its cameras look through ports"));
  EXPECT_THAT(refused(ErrorKind::input, (dir_ / "none.json").string(), {}),
              HasSubstr("none.json: no such file"));
  fs::create_directories(dir_ / "empty");
  EXPECT_THAT(refused(ErrorKind::input, (dir_ / "empty").string(), {}), HasSubstr("holds no rig"));
  EXPECT_THAT(refused(ErrorKind::usage, "ring13", {}), HasSubstr("did you mean ring12?"));
  DatasetRequest sized;
  sized.rig = dry;
  sized.width_px = 100;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_dataset(sized); }),
              HasSubstr("a rig of a file has its own sizes"));
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] {
                         plan(colmap(star({9, 0, 0})), {{"rig", "place", "file"}});
                       }),
              HasSubstr("none of its cameras sees flat_plane"));
}

TEST_F(OwnRig, CamerasThatSeeNothingAreNamed) {
  Rig given = star({0, 0, 1.178 - kReach_m});
  CameraFromWorld& away = given.cameras[3].camera_from_world;
  const Mat3 back = Eigen::AngleAxisd(3, Vec3::UnitX()).toRotationMatrix();
  away = {back * away.rotation, back * away.translation_m};
  EXPECT_THAT(blind_cameras(given, make_scene("flat_plane", {}).truth.surface->mesh(0.01)),
              ElementsAre("view3"));
}

TEST_F(OwnRig, TheRecordOfADatasetHasItsHashAndItsFileNameAlone) {
  const auto record = [&](const Rig& rig) {
    return Json::parse(dataset_record(plan(calibration(rig)))).at("rig");
  };
  const Json first = record(star({0, 0, 0})), other = record(star({0.5, 0, 0}));
  EXPECT_EQ(first.at("name"), "tank.json");
  EXPECT_NE(first.at("sha256"), other.at("sha256"));
}

TEST_F(OwnRig, TransformsNeedNoImages) {
  write_file(
      dir_ / "transforms.json",
      R"({"w": 64, "h": 48, "fl_x": 60, "fl_y": 60, "cx": 30, "cy": 20, "frames": [{"file_path": "a.png",
          "transform_matrix": [[1, 0, 0, 2], [0, -1, 0, 3], [0, 0, -1, 4], [0, 0, 0, 1]]}]})");
  const RigFile read = read_rig_file(dir_ / "transforms.json");
  ASSERT_EQ(read.rig.cameras.size(), 1u);
  EXPECT_EQ(centre(read.rig.cameras[0]), Vec3(2, 3, 4));
  EXPECT_EQ(read.rig.cameras[0].camera_from_world.rotation, Mat3::Identity());
  EXPECT_EQ(read.rig.cameras[0].intrinsics.K(0, 2), 29.5);
}

// ---- The refractive COLMAP ----

// The port of each camera is that of the written rig, to the last bit.
TEST_F(OwnRig, PortsComeBackFromAColmapModel) {
  Rig given = star({0, 0, 0});
  set_interface(given, Port{PortModel::flat, Vec3(0.1, -0.2, 1).normalized(), 0.03, 0.01, 1, 1.49, 1.333});
  given.cameras[1].interface = Port{PortModel::dome, {0.001, 0, 0.01}, 0.05, 0.007, 1.003, 1.473, 1.34};
  given.cameras[2].interface = NoInterface{};
  const std::vector<Camera> read = read_rig_file(colmap(given)).rig.cameras;
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].interface, given.cameras[i].interface) << i;
}

// Of ring12, whose pixel of (0.1, -0.05, 1.178) the refractive COLMAP and a tracer of 40 digits agree on.
TEST_F(OwnRig, LevelWaterIsWrittenAsAPane) {
  Rig given = make_rig(find_rig("ring12"), Parameters(find_rig("ring12").parameters), 1);
  const std::vector<Camera> read = read_rig_file(colmap(given)).rig.cameras;
  ASSERT_EQ(read.size(), 13U);
  for (const Camera& camera : read) {
    const Port& pane = std::get<Port>(camera.interface);
    EXPECT_EQ(pane.model, PortModel::flat);
    EXPECT_EQ(pane.thickness_m, 0);
    EXPECT_EQ(pane.n_water, 1.333);
    const Camera& level = *find_camera(given, camera.name);
    for (const Vec3& point_m : {Vec3(0.1, -0.05, 1.178), Vec3(-0.3, 0.2, 1.4)})
      EXPECT_LT((seen(camera, point_m) - seen(level, point_m)).norm(), 1e-9);
  }
}

TEST_F(OwnRig, APortOfAColmapModelThatMakesNoSenseIsRefused) {
  const std::string dir = colmap(star({0, 0, 0}));
  const auto refusal = [&](const std::string& behind) {
    write_file(fs::path(dir) / "cameras.txt",
               "1 OPENCV 640 480 500 500 320 240 0 0 0 0\n2 OPENCV 640 480 500 500 320 240 0 0 0 0 " +
                   behind + "\n3 PINHOLE 9 9 5 5 3 3\n4 PINHOLE 9 9 5 5 3 3\n5 PINHOLE 9 9 5 5 3 3\n");
    return error_of(ErrorKind::input, [&] { read_rig_file(dir); });
  };
  const std::string where = dir + "/cameras.txt: line 2: ";
  EXPECT_EQ(refusal("FLATPORT 0 0 1 0.03"), where + "FLATPORT needs 8 parameters, got 4");
  EXPECT_EQ(refusal("FLATPORT 0 0 1 0.03 0.01 1 1.49 1.333 7"), where + "FLATPORT needs 8 parameters, got 9");
  EXPECT_EQ(refusal("CURVED 0 0 1 0.03 0.01 1 1.49 1.333"),
            where + "port 'CURVED' is neither FLATPORT nor DOMEPORT");
  EXPECT_EQ(refusal("FLATPORT 0 0 2 0.03 0.01 1 1.49 1.333"),
            where + "FLATPORT.params: the normal of FLATPORT must be a unit vector with z > 0");
  EXPECT_EQ(refusal("FLATPORT 0 0 1 30 10 1 1.49 1.333"),  // millimetres
            where + "FLATPORT.params: the glass must be 0 to 1 m thick, got 10 m; lengths are metres");
  EXPECT_EQ(refusal("FLATPORT 0 0 1 0.03 0.01 1 1.49 1333"),
            where + "FLATPORT.params: nw: must be between 0.5 and 5, got 1333");
  EXPECT_THAT(refusal("FLATPORT 0 0 1 nan 0.01 1 1.49 1.333"), HasSubstr("line 2: "));
  EXPECT_THAT(refusal("DOMEPORT 0 0 60 0.05 0.007 1 1.473 1.333"),
              HasSubstr("line 2: DOMEPORT.params: the camera's centre must be inside of DOMEPORT: 60 m"));
}

// COLMAP's binary holds no ports: taken first, it would make rays straight without a word.
TEST_F(OwnRig, PortsOfATextAreReadBesideABinary) {
  Rig given = star({0, 0, 0});
  set_interface(given, Port{PortModel::flat, Vec3(0, 0, 1), 0.03, 0.01, 1, 1.49, 1.333});
  const std::string dir = colmap(given);
  std::string binary;
  const auto add = [&](const auto& value) {
    binary.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  add(std::uint64_t{5});
  for (std::uint32_t id = 1; id <= 5; ++id) {
    add(id);
    add(std::int32_t{1});  // PINHOLE
    add(std::uint64_t{320});
    add(std::uint64_t{240});
    for (const double value : {300.0, 300.0, 160.0, 120.0}) add(value);
  }
  write_file(fs::path(dir) / "cameras.bin", binary);
  const std::vector<Camera> read = read_rig_file(dir).rig.cameras;
  for (const Camera& camera : read) EXPECT_EQ(camera.interface, given.cameras[0].interface);
  fs::remove(fs::path(dir) / "cameras.txt");
  EXPECT_TRUE(is_dry(read_rig_file(dir).rig));
}

}  // namespace
}  // namespace aqbench
