#include "scenes/optics/dry_rigs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

Vec3 axis_of(const Camera& camera) { return camera.camera_from_world.rotation.row(2).transpose(); }

TEST(OrbitRig, StandsOnTwoRingsAndLooksAtThePoint) {
  const Rig rig = make_rig("orbit", {{"orbit", "look_at_z_m", "0.5"}}, 1);
  ASSERT_EQ(rig.cameras.size(), 36U);
  EXPECT_FALSE(level_water(rig).has_value());
  const Vec3 point(0, 0, 0.5);
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
    const Vec3 centre = camera_centre_m(rig.cameras[i].camera_from_world);
    EXPECT_NEAR((centre - point).norm(), 0.8, 1e-12) << i;
    EXPECT_LT((axis_of(rig.cameras[i]) - (point - centre).normalized()).norm(), 1e-12) << i;
    EXPECT_NEAR(0.5 - centre.z(), 0.8 * std::sin((i < 18 ? 10 : 40) * std::numbers::pi / 180), 1e-12) << i;
    EXPECT_GT(rig.cameras[i].camera_from_world.rotation(1, 2), 0.5) << "the image's down is the world's";
  }
}

TEST(WalkRig, LooksAlongItsWay) {
  const Rig rig = make_rig("walk", {}, 1);
  ASSERT_EQ(rig.cameras.size(), 24U);
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
    EXPECT_LT((axis_of(rig.cameras[i]) - Vec3::UnitX()).norm(), 1e-12);
    EXPECT_NEAR(camera_centre_m(rig.cameras[i].camera_from_world).x(), -1.5 + 0.06 * static_cast<double>(i),
                1e-12);
  }
}

TEST(OutwardsRig, LooksAwayFromTheMiddleInAllDirections) {
  const Rig rig = make_rig("outwards", {}, 1);
  ASSERT_EQ(rig.cameras.size(), 36U);
  Vec3 sum = Vec3::Zero();
  for (const Camera& camera : rig.cameras) {
    EXPECT_LT((0.5 * axis_of(camera) - camera_centre_m(camera.camera_from_world)).norm(), 1e-12);
    EXPECT_NEAR(camera.camera_from_world.rotation(1, 2), 1, 1e-12) << "the image's down is the world's";
    sum += axis_of(camera);
  }
  EXPECT_LT(sum.norm(), 1e-12);
}

TEST(StereoRig, HasParallelAxes) {
  const Rig rig = make_rig("stereo", {}, 1);
  ASSERT_EQ(rig.cameras.size(), 2U);
  for (const Camera& camera : rig.cameras) EXPECT_LT((axis_of(camera) - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((camera_centre_m(rig.cameras[1].camera_from_world) -
             camera_centre_m(rig.cameras[0].camera_from_world) - Vec3(0.1, 0, 0))
                .norm(),
            1e-12);
}

}  // namespace
}  // namespace aqbench
