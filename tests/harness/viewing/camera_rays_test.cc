#include "harness/viewing/camera_rays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "harness/viewing/make_view.h"
#include "scenes/surfaces/shapes.h"

namespace aqbench {
namespace {

// Two cameras 1 m above a plane: the rays of their corner pixels, by hand, and nodes beside a fisheye's
// circle.
TEST(CameraRays, GoThroughTheSceneFromTheirPixels) {
  Camera pinhole;
  pinhole.name = "left";
  pinhole.intrinsics.width_px = 101;
  pinhole.intrinsics.height_px = 51;
  pinhole.intrinsics.K << 100, 0, 50, 0, 100, 25, 0, 0, 1;
  Camera fisheye = pinhole;
  fisheye.name = "wide";
  fisheye.camera_from_world.translation_m = Vec3(-0.1, 0, 0);
  fisheye.intrinsics.lens = LensModel::fisheye;
  fisheye.intrinsics.distortion = {0, 0, 0, 0};
  fisheye.intrinsics.K(0, 0) = 30;  // 50 px are 1.67 rad: beside the image of the half space
  const Rig rig{{pinhole, fisheye}};
  const auto truth = make_plane(PlaneShape{.depth_m = 1}, Patch{});
  Reconstruction made;
  for (int i = -10; i <= 10; ++i) made.cloud.points_m.emplace_back(0.02 * i, 0, 1);
  const CloudView view = make_view(made, *truth, &rig, {}, {});
  const std::size_t nodes = std::size_t{kRayColumns} * kRayRows;
  ASSERT_EQ(view.rays.size(), 2 * 2 * nodes);
  EXPECT_THAT(view.scene_json,
              ::testing::HasSubstr(
                  R"({"name":"left","centre_mm":[0.0,0.0,-1000.0],"size_px":[101,51],"nodes":[13,10]})"));
  EXPECT_THAT(view.scene_json, ::testing::HasSubstr(R"("missing":[0,)"));
  for (const std::size_t first :
       {std::size_t{0}, nodes}) {  // near, far: in direction (-0.5, -0.25, 1) from (0, 0, -1 m)
    const auto& [x, y, z] = view.rays[first];
    EXPECT_NEAR(x, -0.5 * (z + 50'000), 1);
    EXPECT_NEAR(y, -0.25 * (z + 50'000), 1);
    EXPECT_TRUE(first == 0 ? z < -10'000 : z > 10'000) << z << ": the scene lies between them";
  }
  EXPECT_EQ(make_view(made, *truth, nullptr, {}, {}).rays, std::vector<GridPoint>());
}

}  // namespace
}  // namespace aqbench
