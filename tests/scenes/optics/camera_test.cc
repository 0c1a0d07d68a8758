#include "scenes/optics/camera.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Rig good_rig() { return make_rig("ring12", {}, 0); }

TEST(CheckRig, AcceptsTheRegisteredOnes) {
  for (const RigSpec& spec : rig_registry()) EXPECT_NO_THROW(check(make_rig(spec.name, {}, 0), "rig"));
}

// Each edit breaks one thing of a rig or its second camera; the message names it.
struct Breakage {
  const char* message;
  void (*edit)(Rig& rig, Camera& camera);
};

const Breakage kBreakages[] = {
    {"cam01.intrinsics.K[0][0]: focal length must be positive",
     [](Rig&, Camera& camera) { camera.intrinsics.K(0, 0) = -1500; }},
    {"cam01.intrinsics.K[1][1]: focal length must be positive",
     [](Rig&, Camera& camera) { camera.intrinsics.K(1, 1) = 0; }},
    {"cam01.intrinsics.K[1][2]: must be finite",
     [](Rig&, Camera& camera) { camera.intrinsics.K(1, 2) = kNaN; }},
    {"cam01.intrinsics.K[0][1]: skew", [](Rig&, Camera& camera) { camera.intrinsics.K(0, 1) = 0.1; }},
    {"cam01.intrinsics.K: must be [[fx", [](Rig&, Camera& camera) { camera.intrinsics.K(2, 2) = 2; }},
    {"cam01.intrinsics.dist_coeffs: a pinhole lens needs 5 or 8 coefficients, got 6",
     [](Rig&, Camera& camera) { camera.intrinsics.distortion.resize(6); }},
    {"cam01.intrinsics.dist_coeffs: a fisheye lens needs 4 coefficients, got 5",
     [](Rig&, Camera& camera) { camera.intrinsics.lens = LensModel::fisheye; }},
    {"cam01.intrinsics.dist_coeffs[2]: must be finite",
     [](Rig&, Camera& camera) { camera.intrinsics.distortion[2] = kNaN; }},
    {"cam01.intrinsics.image_size", [](Rig&, Camera& camera) { camera.intrinsics.height_px = 0; }},
    {"cam01.extrinsics.R: is not a rotation",
     [](Rig&, Camera& camera) { camera.camera_from_world.rotation(0, 0) += 1e-4; }},
    {"cam01.extrinsics.R: is not a rotation",
     [](Rig&, Camera& camera) { camera.camera_from_world.rotation.row(0) *= -1; }},
    {"cam01.extrinsics.t: must be finite",
     [](Rig&, Camera& camera) { camera.camera_from_world.translation_m.x() = kNaN; }},
    {"cam01.extrinsics: the camera's centre, z = 1",
     [](Rig&, Camera& camera) {
       CameraFromWorld& pose = camera.camera_from_world;
       pose.translation_m = -(pose.rotation * Vec3(0.3, 0, 1.5));
     }},
    {"cam01.name: is a duplicate", [](Rig& rig, Camera&) { rig.cameras[0].name = "cam01"; }},
    {"name: '../up' is not a plain folder name", [](Rig& rig, Camera&) { rig.cameras[0].name = "../up"; }},
    {"name: '' is not a plain folder name", [](Rig& rig, Camera&) { rig.cameras[0].name = ""; }},
    {"name: 'left ' is not a plain folder name", [](Rig& rig, Camera&) { rig.cameras[0].name = "left "; }},
    {"name: 'l\\xff' is not a plain folder name", [](Rig& rig, Camera&) { rig.cameras[0].name = "l\xff"; }},
    {"rig.cameras.cam01.interface.n_water: must be between",
     [](Rig&, Camera& camera) { std::get<WaterInterface>(camera.interface).n_water = 0; }},
    {"rig.cameras.cam01.interface.n_air: must be between",
     [](Rig&, Camera& camera) { std::get<WaterInterface>(camera.interface).n_air = kNaN; }},
    {"rig.cameras.cam01.interface.water_z: must be finite",
     [](Rig&, Camera& camera) { std::get<WaterInterface>(camera.interface).water_z_m = kNaN; }},
    {"rig.cameras: at least one is needed", [](Rig& rig, Camera&) { rig.cameras.clear(); }},
};

TEST(CheckRig, RefusesAndNamesTheField) {
  for (const Breakage& breakage : kBreakages) {
    Rig rig = good_rig();
    breakage.edit(rig, rig.cameras[1]);
    EXPECT_THAT(error_of(ErrorKind::input, [&] { check(rig, "rig"); }), HasSubstr(breakage.message));
  }
}

TEST(CameraCentre, IsWhereTheCameraFrameHasItsOrigin) {
  const Rig rig = good_rig();
  for (const Camera& camera : rig.cameras) {
    const Vec3 centre = camera_centre_m(camera.camera_from_world);
    EXPECT_LT((camera.camera_from_world.rotation * centre + camera.camera_from_world.translation_m).norm(),
              1e-15);
  }
}

TEST(FindCamera, ByNameOrNull) {
  const Rig rig = good_rig();
  ASSERT_NE(find_camera(rig, "cam07"), nullptr);
  EXPECT_EQ(find_camera(rig, "cam07"), &rig.cameras[7]);
  EXPECT_EQ(find_camera(rig, "cam7"), nullptr);
}

}  // namespace
}  // namespace aqbench
