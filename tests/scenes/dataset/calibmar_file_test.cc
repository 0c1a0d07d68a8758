// Calibrations as Calibmar writes them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/files.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/dataset/recording.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The example of its page "Calibration Report".
constexpr const char* kCalibmarExample =
    "model: OPENCV\n"
    "# fx, fy, cx, cy, k1, k2, p1, p2\n"
    "parameters: [705.391983, 705.210233, 963.440447, 604.968632, -0.105541, 0.066014, 0.001093, -8.6e-05]\n"
    "non_svp_model: FLATPORT\n"
    "# Nx, Ny, Nz, int_dist, int_thick, na, ng, nw (Note that [Nx, Ny, Nz] must be unit vector)\n"
    "non_svp_parameters: [0.01311427226, -0.004460945556, 0.9999040533, 0.02531637365, 0.01, 1, 1.49, "
    "1.333]\n"
    "# non_svp_est_std_dev: 0.001294740237, 0.001435687642, 1.84569193e-05, 0.0005963799373, 0, 0, 0, 0\n"
    "width: 1920\n"
    "height: 1200\n"
    "# overall_rms: 0.8004862862\n"
    "# target: chessboard, 7, 8, 0.040000";

// A quarter turn about the y axis, 0.2 m to the right.
constexpr const char* kSecondPose =
    "\n\n# stereo pose (camera to world, ...)"
    "\ncam_to_world_rotation_rowmajor: [0, 0, 1, 0, 1, 0, -1, 0, 0]"
    "\ncam_to_world_translation: [0.2, 0, 0.1]"
    "\n# (distance to origin: 0.2236)";

std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

TEST(CalibmarFile, TheExampleOfItsPage) {
  const TemporaryDirectory dir;
  write_file(dir / "calibration.yaml", kCalibmarExample);
  const Rig rig = read_rig_file(dir.path()).rig;
  ASSERT_EQ(rig.cameras.size(), 1U);
  const Camera& camera = rig.cameras[0];
  EXPECT_EQ(camera.name, "calibration");
  EXPECT_NEAR(camera.intrinsics.K(0, 2), 962.940447, 1e-12);  // 0.5, 0.5 is the middle of its first pixel
  EXPECT_EQ(camera.intrinsics.width_px, 1920);
  EXPECT_THAT(camera.intrinsics.distortion, ElementsAre(-0.105541, 0.066014, 0.001093, -8.6e-05, 0));
  EXPECT_EQ(camera.camera_from_world.rotation, Mat3::Identity());
  // Computed with 40 digits for this port, without distortion.
  write_file(dir / "pinhole.yaml", with(with(kCalibmarExample, "OPENCV", "PINHOLE"),
                                        ", -0.105541, 0.066014, 0.001093, -8.6e-05", ""));
  const Camera straight = read_rig_file(dir / "pinhole.yaml").rig.cameras[0];
  const auto seen = project(refractive_camera(straight), Vec3(0.3, -0.2, 1));
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->pixel.x(), 1253.656617220473 - 0.5, 1e-9);
  EXPECT_NEAR(seen->pixel.y(), 410.3681005986832 - 0.5, 1e-9);
}

TEST(CalibmarFile, APairIsTwoFiles) {
  const TemporaryDirectory dir;
  write_file(dir / "tank.yaml", kCalibmarExample);
  write_file(dir / "tank_stereo.yaml", with(with(kCalibmarExample, "FLATPORT", "NONE"),
                                            "[0.01311427226, -0.004460945556, 0.9999040533, "
                                            "0.02531637365, 0.01, 1, 1.49, 1.333]",
                                            "[]") +
                                           std::string(kSecondPose));
  const RigFile read = read_rig_file(dir / "tank.yaml");
  ASSERT_EQ(read.rig.cameras.size(), 2U);
  const Camera& second = read.rig.cameras[1];
  EXPECT_EQ(second.name, "tank_stereo");
  EXPECT_TRUE(std::holds_alternative<NoInterface>(second.interface));
  EXPECT_LT((camera_centre_m(second.camera_from_world) - Vec3(0.2, 0, 0.1)).norm(), 1e-15);
  // Its axis is the third column of the rotation: the world's x.
  EXPECT_LT((second.camera_from_world.rotation.row(2).transpose() - Vec3::UnitX()).norm(), 1e-15);
  const std::string hash = read.sha256;
  write_file(dir / "tank_stereo.yaml", std::string(kCalibmarExample) + kSecondPose);
  EXPECT_NE(read_rig_file(dir / "tank.yaml").sha256, hash);
}

TEST(CalibmarFile, WhatIsWrongIsNamed) {
  const TemporaryDirectory dir;
  const auto refusal = [&](const std::string& part, const std::string& other) {
    write_file(dir / "x.yaml", with(kCalibmarExample, part, other));
    return error_of(ErrorKind::input, [&] { read_rig_file(dir / "x.yaml"); });
  };
  EXPECT_THAT(refusal("model: OPENCV", "cameras: 3"), HasSubstr("x.yaml: model: missing"));
  EXPECT_THAT(refusal("OPENCV", "LENS"), HasSubstr("model: unknown lens model 'LENS'"));
  EXPECT_THAT(refusal(", -8.6e-05", ""), HasSubstr("parameters: expected 8 numbers, got 7"));
  EXPECT_THAT(refusal("0.066014", "nan"), HasSubstr("parameters: ' nan' is no number"));
  EXPECT_THAT(refusal("FLATPORT", "FLAT"), HasSubstr("neither FLATPORT, DOMEPORT nor NONE"));
  EXPECT_THAT(refusal("0.9999040533", "0.8"), HasSubstr("unit vector"));
  EXPECT_THAT(refusal("width: 1920", "width: wide"), HasSubstr("width: must be a whole number"));
  EXPECT_THAT(refusal("width: 1920", "height: 1920"), HasSubstr("height comes twice"));
  EXPECT_THAT(refusal("# target", "cam_to_world_translation: [0, 0, 0]\n# target"),
              HasSubstr("cam_to_world_rotation_rowmajor: missing"));
}

// AquaCal's ground truth, and images in folders of its cameras, are a recording.
TEST(CalibmarFile, OtherCalibrationsHaveRecordingsToo) {
  const TemporaryDirectory dir;
  write_file(dir / "ground_truth.json", "{\"frames\": 3}");
  EXPECT_EQ(layout_of(dir.path()), std::nullopt);
  std::filesystem::copy_file(
      std::string(AQBENCH_SOURCE_DIR) + "/tests/scenes/optics/aquacal_small/ground_truth.json",
      dir / "ground_truth.json", std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(layout_of(dir.path()), RecordingLayout::calibration);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_recording(dir.path()); }),
              HasSubstr("camera 'cam0': no PNG"));
  write_file(dir / "calibration.yaml", kCalibmarExample);
  EXPECT_EQ(read_rig_file(dir.path()).rig.cameras.size(), 2U) << "AquaCal's comes first";
}

}  // namespace
}  // namespace aqbench
