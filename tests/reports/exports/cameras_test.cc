#include "reports/exports/cameras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <sstream>

#include "core/error.h"
#include "harness/viewing/make_view.h"
#include "scenes/surfaces/plane.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// Two cameras of 640 x 480 pixels; the second is turned by a quarter around its axis and by 0.2 rad towards
// x.
Rig two_cameras() {
  Rig rig;
  for (const char* const name : {"left", "right"}) {
    Camera camera;
    camera.name = name;
    camera.intrinsics.width_px = 640;
    camera.intrinsics.height_px = 480;
    camera.intrinsics.K << 500, 0, 330, 0, 510, 235, 0, 0, 1;
    camera.camera_from_world.rotation.setIdentity();
    rig.cameras.push_back(camera);
  }
  const Eigen::Matrix3d turned = (Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitY()) *
                                  Eigen::AngleAxisd(EIGEN_PI / 2, Eigen::Vector3d::UnitZ()))
                                     .toRotationMatrix();  // world from camera
  rig.cameras[1].camera_from_world.rotation = turned.transpose();
  rig.cameras[1].camera_from_world.translation_m = -turned.transpose() * Eigen::Vector3d(0.1, -0.05, 0.2);
  return rig;
}

CloudView view_of(const Rig* rig) {
  const auto truth = make_plane(PlaneShape{}, Patch{});
  Reconstruction made;
  made.cloud.points_m.emplace_back(0, 0, truth->jet(0, 0).z);
  return make_view(made, *truth, rig, {}, {});
}

TEST(CameraExports, PosesAreThoseOfTheRig) {
  const Rig rig = two_cameras();
  std::istringstream lines(cameras_tum(view_of(&rig), "x"));
  std::string line;
  std::vector<std::string> comments;
  for (const Camera& camera : rig.cameras) {
    while (std::getline(lines, line) && line.starts_with('#')) comments.push_back(line);
    std::istringstream numbers(line);
    double index, x, y, z;
    Eigen::Quaterniond q;
    numbers >> index >> x >> y >> z >> q.x() >> q.y() >> q.z() >> q.w();
    EXPECT_FALSE(numbers.fail()) << line;
    EXPECT_LT((Eigen::Vector3d(x, y, z) - camera_centre_m(camera.camera_from_world)).norm(), 2e-5);
    const Eigen::Matrix3d expected = camera.camera_from_world.rotation.transpose();
    EXPECT_LT((q.toRotationMatrix() - expected).norm(), 5e-4) << line;
  }
  EXPECT_THAT(comments, ::testing::Contains("# 1 right"));
  EXPECT_THAT(comments[0], HasSubstr("metres, world frame"));
}

TEST(CameraExports, WireFramesBeginAtTheCentres) {
  const Rig rig = two_cameras();
  const std::string ply = cameras_ply(view_of(&rig), "x");
  for (const char* const part :
       {"comment camera 1 right\n", "element vertex 10\n", "element edge 16\n",
        "end_header\n0.000000 0.000000 0.000000\n", "\n0.100000 -0.050000 0.200000\n", "\n5 6\n6 7\n"})
    EXPECT_THAT(ply, HasSubstr(part));
  // The first corner of the first camera: its pixel (0, 0) at a depth of 60 mm.
  EXPECT_THAT(ply, HasSubstr("\n-0.039600 -0.027648 0.060000\n"));
}

TEST(CameraExports, WithoutCamerasThereIsNothing) {
  EXPECT_EQ(cameras_ply(view_of(nullptr), "x"), "");
  EXPECT_EQ(cameras_tum(view_of(nullptr), "x"), "");
  CloudView wrong = view_of(nullptr);
  wrong.scene_json = R"({"cameras":[{"name":"a","centre_mm":[0,0],"corners":[]}]})";
  EXPECT_THROW(cameras_ply(wrong, "x"), Error);
}

}  // namespace
}  // namespace aqbench
