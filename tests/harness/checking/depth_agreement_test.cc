#include "harness/checking/depth_agreement.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

// Dry cameras in a row that look along z at the plane z = 2 m, and their depths along the ray.
Rig row_of_cameras(int count) {
  Rig rig;
  for (int i = 0; i < count; ++i) {
    Camera camera;
    camera.name = "cam" + std::to_string(i);
    camera.intrinsics.K << 100, 0, 31.5, 0, 100, 23.5, 0, 0, 1;
    camera.intrinsics.width_px = 64;
    camera.intrinsics.height_px = 48;
    camera.camera_from_world.translation_m = Vec3(-0.1 * i * (i + 1) / 2, 0, 0);
    rig.cameras.push_back(camera);
  }
  return rig;
}

DepthMap plane_map(const Camera& camera, double z_m) {
  DepthMap map{camera.name, 64, 48, {}, {}};
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x)
      map.depth_along_ray_m.push_back(
          static_cast<float>(z_m * Vec3((x - 31.5) / 100, (y - 23.5) / 100, 1).norm()));
  return map;
}

TEST(DepthAgreement, TrueDepthsAgreeAtEveryBaselineAndWrongOnesLessTheLongerItIs) {
  const Rig rig = row_of_cameras(4);
  std::vector<DepthMap> maps;
  for (const Camera& camera : rig.cameras) maps.push_back(plane_map(camera, 2));
  const auto groups = depth_agreement(maps, rig);
  ASSERT_EQ(groups.size(), 3u);
  for (const BaselineGroup& group : groups) EXPECT_LT(group.reprojection_px, 1e-3);
  EXPECT_NEAR(groups[0].least_m, 0.1, 1e-12);
  EXPECT_NEAR(groups[2].most_m, 0.6, 1e-12);
  EXPECT_EQ(groups[0].pairs + groups[1].pairs + groups[2].pairs, 6u);
  // Every second camera is 5 % off.
  for (std::size_t i = 1; i < maps.size(); i += 2) maps[i] = plane_map(rig.cameras[i], 2.1);
  const auto wrong = depth_agreement(maps, rig);
  EXPECT_GT(wrong[2].reprojection_px, 0.1);
  EXPECT_TRUE(depth_agreement({}, rig).empty());
}

}  // namespace
}  // namespace aqbench
