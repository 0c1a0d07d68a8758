#include "scenes/optics/camera.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using optics_testing::error_of;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Rig good_rig() { return make_rig("ring12", {}, 0); }

TEST(CheckRig, AcceptsTheRegisteredOnes) {
  for (const RigSpec& spec : rig_registry()) EXPECT_NO_THROW(check(make_rig(spec.name, {}, 0), "rig"));
}

// Each edit breaks one thing; the message names it.
struct Breakage {
  const char* message;
  void (*edit)(Rig&);
};

class CheckRigRefuses : public ::testing::TestWithParam<Breakage> {};

TEST_P(CheckRigRefuses, AndNamesTheField) {
  Rig rig = good_rig();
  GetParam().edit(rig);
  try {
    check(rig, "rig");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(
    EachField, CheckRigRefuses,
    ::testing::Values(
        Breakage{"cam01.intrinsics.K[0][0]: focal length must be positive",
                 [](Rig& rig) { rig.cameras[1].intrinsics.K(0, 0) = -1500; }},
        Breakage{"cam01.intrinsics.K[1][1]: focal length must be positive",
                 [](Rig& rig) { rig.cameras[1].intrinsics.K(1, 1) = 0; }},
        Breakage{"cam01.intrinsics.K[1][2]: must be finite",
                 [](Rig& rig) { rig.cameras[1].intrinsics.K(1, 2) = kNaN; }},
        Breakage{"cam01.intrinsics.K[0][1]: skew", [](Rig& rig) { rig.cameras[1].intrinsics.K(0, 1) = 0.1; }},
        Breakage{"cam01.intrinsics.K: must be [[fx", [](Rig& rig) { rig.cameras[1].intrinsics.K(2, 2) = 2; }},
        Breakage{"cam01.intrinsics.dist_coeffs: a pinhole lens needs 5 or 8 coefficients, got 6",
                 [](Rig& rig) { rig.cameras[1].intrinsics.distortion.resize(6); }},
        Breakage{"cam01.intrinsics.dist_coeffs: a fisheye lens needs 4 coefficients, got 5",
                 [](Rig& rig) { rig.cameras[1].intrinsics.lens = LensModel::fisheye; }},
        Breakage{"cam01.intrinsics.dist_coeffs[2]: must be finite",
                 [](Rig& rig) { rig.cameras[1].intrinsics.distortion[2] = kNaN; }},
        Breakage{"cam01.intrinsics.image_size", [](Rig& rig) { rig.cameras[1].intrinsics.height_px = 0; }},
        Breakage{"cam01.extrinsics.R: is not a rotation",
                 [](Rig& rig) { rig.cameras[1].camera_from_world.rotation(0, 0) += 1e-4; }},
        Breakage{"cam01.extrinsics.R: is not a rotation",
                 [](Rig& rig) { rig.cameras[1].camera_from_world.rotation.row(0) *= -1; }},
        Breakage{"cam01.extrinsics.t: must be finite",
                 [](Rig& rig) { rig.cameras[1].camera_from_world.translation_m.x() = kNaN; }},
        Breakage{"cam01.extrinsics: the camera's centre, z = 1",
                 [](Rig& rig) {
                   CameraFromWorld& pose = rig.cameras[1].camera_from_world;
                   pose.translation_m = -(pose.rotation * Vec3(0.3, 0, 1.5));
                 }},
        Breakage{"cam01.name: is a duplicate", [](Rig& rig) { rig.cameras[0].name = "cam01"; }},
        Breakage{"name: '../up' is not a plain folder name", [](Rig& rig) { rig.cameras[0].name = "../up"; }},
        Breakage{"name: '' is not a plain folder name", [](Rig& rig) { rig.cameras[0].name = ""; }},
        Breakage{"name: 'left ' is not a plain folder name", [](Rig& rig) { rig.cameras[0].name = "left "; }},
        Breakage{"name: 'l\\xff' is not a plain folder name",
                 [](Rig& rig) { rig.cameras[0].name = "l\xff"; }},
        Breakage{"rig.cameras.cam01.interface.n_water: must be between",
                 [](Rig& rig) { std::get<WaterInterface>(rig.cameras[1].interface).n_water = 0; }},
        Breakage{"rig.cameras.cam01.interface.n_air: must be between",
                 [](Rig& rig) { std::get<WaterInterface>(rig.cameras[1].interface).n_air = kNaN; }},
        Breakage{"rig.cameras.cam01.interface.water_z: must be finite",
                 [](Rig& rig) { std::get<WaterInterface>(rig.cameras[1].interface).water_z_m = kNaN; }},
        Breakage{"rig.cameras: at least one is needed", [](Rig& rig) { rig.cameras.clear(); }}));

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

// Pixels count but for (6, 3) and the two at the left end of row 0.
TEST(PixelMasks, ErosionTakesTheSquareAboutWhatDoesNotCount) {
  PixelMask mask{10, 6, std::vector<bool>(60, true)};
  for (const std::size_t gone : {std::size_t{36}, std::size_t{0}, std::size_t{1}}) mask.counts[gone] = false;
  EXPECT_EQ(eroded(mask, 0).counts, mask.counts);
  const PixelMask smaller = eroded(mask, 2);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 10; ++x)
      EXPECT_EQ(smaller.at(Vec2(x, y)), (x > 3 || y > 2) && (std::abs(x - 6) > 2 || std::abs(y - 3) > 2))
          << x << " " << y;
}

}  // namespace
}  // namespace aqbench
