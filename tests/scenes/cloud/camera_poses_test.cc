#include "scenes/cloud/camera_poses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// A camera at (1, 2, 3) that looks along the world's +X, its image's right along -Y and down along -Z.
const Eigen::Matrix3d kLooksAlongX = (Eigen::Matrix3d() << 0, 0, 1, -1, 0, 0, 0, -1, 0).finished();

void expect_it(const std::vector<OwnCamera>& cameras, const std::string& name) {
  ASSERT_EQ(cameras.size(), 1U);
  EXPECT_EQ(cameras[0].name, name);
  EXPECT_LT((cameras[0].own_from_camera - kLooksAlongX).norm(), 1e-12) << cameras[0].own_from_camera;
  EXPECT_LT((cameras[0].centre - Vec3(1, 2, 3)).norm(), 1e-12) << cameras[0].centre;
}

TEST(CameraPoses, AreTheSameFromEveryFormat) {
  const TemporaryDirectory dir;
  // The quaternion of kLooksAlongX is (0.5, -0.5, 0.5, -0.5); COLMAP has its inverse, and t = -R^T c.
  expect_it(read_camera_poses(dir.file("poses.txt", "# a comment\ncam 1 2 3 -0.5 0.5 -0.5 0.5\n")), "cam");
  std::filesystem::create_directories(dir / "sparse/0");
  dir.file("sparse/0/images.txt", "1 0.5 0.5 -0.5 0.5 2 3 -1 1 cam/000000.png\n\n");
  expect_it(read_camera_poses(dir.path()), "cam/000000.png");
  expect_it(read_camera_poses(dir / "sparse/0/images.txt"), "cam/000000.png");
  // OpenGL: y up, z backwards.
  expect_it(read_camera_poses(dir.file("transforms.json", R"({"frames": [{"file_path": "./images/a.png",
      "transform_matrix": [[0, 0, -1, 1], [-1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]]}]})")),
            "./images/a.png");
}

TEST(CameraPoses, AMalformedFileIsRefusedWithItsPlace) {
  const TemporaryDirectory dir;
  const auto refused = [&](const std::string& text) {
    return error_of(ErrorKind::input, [&] { read_camera_poses(dir.file("f", text)); });
  };
  EXPECT_THAT(refused("a 1 2 3 0 0 0 0\n"), HasSubstr("the quaternion is zero"));
  EXPECT_THAT(refused("a 1 2 3 0 0 0 1\na 1 2 3 0 0 0 1\n"), HasSubstr("camera 'a' comes twice"));
  EXPECT_THAT(refused("a 1 2 nan 0 0 0 1\n"), HasSubstr("f"));
  EXPECT_THAT(refused("a 1 2 3 0 0 0 1 5\n"), HasSubstr("expected NAME TX TY TZ QX QY QZ QW"));
  EXPECT_THAT(refused("# nothing\n"), HasSubstr("no cameras"));
  EXPECT_THAT(refused(R"({"frames": [{"file_path": "a", "transform_matrix": [[1]]}]})"),
              HasSubstr("frames[0].transform_matrix: expected 4 rows of 4 numbers"));
  EXPECT_THAT(refused(R"({"frames": [{"file_path": "a",
      "transform_matrix": [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]}]})"),
              HasSubstr("is not a rotation"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_camera_poses(dir.path()); }), HasSubstr("images.bin"));
}

}  // namespace
}  // namespace aqbench
