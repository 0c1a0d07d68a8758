#include "harness/scoring/calibration_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "scenes/dataset/layouts.h"
#include "scenes/dataset/perturb.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Eigen::AlignedBox3d kBox(Vec3(-0.1, -0.1, 1.1), Vec3(0.1, 0.1, 1.2));

Rig dry_rig() { return make_rig("stereo", {}, 1); }

TEST(CalibrationScore, TheTruthHasNoError) {
  for (const char* const rig : {"ring12", "port_stereo", "tank_wall"}) {
    const CalibrationScore score = score_calibration(make_rig(rig, {}, 1), make_rig(rig, {}, 1), kBox);
    EXPECT_EQ(score.scored, 1331U) << rig;
    EXPECT_LT(score.as_it_is.max_m, 1e-9) << rig;
    EXPECT_LT(score.reprojection_rms_px, 1e-9) << rig;
  }
}

// A world that is moved, turned and scaled: all of it is in the similarity.
TEST(CalibrationScore, ASimilarityIsTakenAway) {
  const Rig truth = dry_rig();
  Rig moved = truth;
  Similarity by;
  by.scale = 1.01;
  by.linear = by.scale * Eigen::AngleAxisd(0.02, Vec3::UnitZ()).toRotationMatrix();
  by.translation_m = Vec3(0.003, -0.001, 0.002);
  move_cameras(by, moved.cameras);
  const Eigen::AlignedBox3d box(Vec3(-0.05, -0.05, -0.05), Vec3(0.05, 0.05, 0.05));
  const CalibrationScore score = score_calibration(moved, truth, box);
  double squares = 0;
  for (int x = 0; x < 11; ++x)
    for (int y = 0; y < 11; ++y)
      for (int z = 0; z < 11; ++z) {
        const Vec3 point_m = Vec3(x - 5, y - 5, z - 5) * 0.01;
        squares += (by.linear * point_m + by.translation_m - point_m).squaredNorm();
      }
  EXPECT_NEAR(score.as_it_is.rms_m, std::sqrt(squares / 1331), 1e-9);
  EXPECT_NEAR(score.as_it_is.mean_error_m.x(), 0.003, 1e-9);
  EXPECT_LT(score.aligned.max_m, 1e-9);
  EXPECT_NEAR(score.true_from_estimated.scale, 1 / 1.01, 1e-9);
}

// Two cameras with parallel axes and a focal length 1 % too large put points at depth z 1 % farther.
TEST(CalibrationScore, AFocalLengthMovesDepths) {
  const Rig truth = dry_rig();  // 0.8 m above the origin
  const CalibrationScore score = score_calibration(perturbed(truth, {.focal_pct = 1}), truth,
                                                   {Vec3(-0.02, -0.02, -0.001), Vec3(0.02, 0.02, 0.001)});
  EXPECT_NEAR(score.as_it_is.mean_error_m.z(), 0.008, 1e-5);
  EXPECT_GT(score.reprojection_rms_px, 0.5);
}

TEST(CalibrationScore, CamerasAreFoundByName) {
  Rig truth = make_rig("ring12", {}, 1), estimated = truth;
  estimated.cameras[1].name = "spare";
  EXPECT_THAT(score_calibration(estimated, truth, kBox).left_out,
              ElementsAre(truth.cameras[1].name, "spare"));
  for (Camera& camera : estimated.cameras) camera.name += "_";
  EXPECT_THAT(error_of(ErrorKind::input, [&] { score_calibration(estimated, truth, kBox); }),
              HasSubstr("0 of the calibrations' cameras have one name"));
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] {
                         score_calibration(truth, truth, {Vec3(50, 50, 2), Vec3(51, 51, 3)});
                       }),
              HasSubstr("no point of the volume is seen"));
}

}  // namespace
}  // namespace aqbench
