#include "scenes/cloud/colmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/cloud_file.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ColmapFiles : public testing::Test {
 protected:
  std::vector<std::string> names(const std::string& text) const {
    std::vector<std::string> names;
    for (const ColmapImage& image : read_colmap_images(directory_.file("images.txt", text)))
      names.push_back(image.name);
    return names;
  }
  std::string problem(const std::string& text) const {
    return error_of(ErrorKind::input, [&] { names(text); });
  }
  TemporaryDirectory directory_;
};

constexpr const char* kPose = " 1 0 0 0 0.5 0 0 1 ";

TEST_F(ColmapFiles, ImagesWithAndWithoutLinesOfPointsAreTheSame) {
  const std::string a = std::string("1") + kPose + "a b,\xc3\xa9.jpg\n",
                    b = std::string("2") + kPose + "b.jpg\n", c = std::string("3") + kPose + "c.jpg\n";
  const auto all = ElementsAre("a b,\xc3\xa9.jpg", "b.jpg", "c.jpg");
  const std::string points = "10.5 20 7 11 21.5 -1\n";
  EXPECT_THAT(names(a + points + b + "\n" + c + points), all);
  EXPECT_THAT(names(a + b + c), all);
  EXPECT_THAT(names(a + "\n" + b + "\n" + c), all);
  EXPECT_THAT(names(a + points + b + c + points), all) << "an empty line was lost";
  EXPECT_THAT(names("# Number of images: 3, mean observations per image: 2\n" + a + b + c), all);
  EXPECT_THAT(problem("# Number of images: 4\n" + a + b + c),
              HasSubstr("line 4: the file's comments promise 4 images, but there are 3"));
  EXPECT_THAT(problem(a + "1 1 0 0 0 0 0 0 1 2 3 4\n"), HasSubstr("line 2: may be an image, or the points"));
  EXPECT_THAT(problem(a + "10.5 20\n"), HasSubstr("line 2: expected IMAGE_ID QW QX QY QZ TX TY TZ"));
}

TEST_F(ColmapFiles, PointsAreReadAsWhatTheyAre) {
  const std::string text =
      "# 3D point list with one line of data per point:\n"
      "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n"
      "# Number of points: 2, mean track length: 2\n"
      "1 0.1 0.2 1.1 255 0 9 0.5 1 3 2 4\n2 0.3 0.4 1.2 1 2 3 0.25 1 0\n";
  for (const char* const name : {"points3D.txt", "Points3D_sparse.TXT", "renamed.xyz"}) {
    const PointCloud cloud = read_cloud_file(directory_.file(name, text)).cloud;
    EXPECT_THAT(cloud.points_m, ElementsAre(Vec3(0.1, 0.2, 1.1), Vec3(0.3, 0.4, 1.2))) << name;
    EXPECT_THAT(cloud.colours, ElementsAre(Rgb{255, 0, 9}, Rgb{1, 2, 3}));
  }
  const auto refused = [&](const std::string& bytes) {
    const auto path = directory_.file("points3D.txt", bytes);
    return error_of(ErrorKind::input, [&] { read_cloud_file(path); });
  };
  EXPECT_THAT(refused(text.substr(0, text.find("2 0.3"))), HasSubstr("promise 2 points, but there are 1"));
  EXPECT_THAT(refused("1 2 3\n"), HasSubstr("line 1: expected POINT3D_ID X Y Z R G B ERROR TRACK"));
  EXPECT_THAT(refused("1 0 0 1 256 0 0 0\n"), HasSubstr("colour: 256 is not from 0 to 255"));
}

TEST_F(ColmapFiles, BinaryPointsGiveTheSame) {
  std::string bytes;
  const auto append = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(std::uint64_t{1});
  append(std::uint64_t{5});
  for (const double value : {0.1, 0.2, 1.1}) append(value);
  bytes += std::string("\x09\x08\x07", 3);
  append(0.5);
  append(std::uint64_t{2});
  bytes.append(16, 't');
  const PointCloud cloud = read_cloud_file(directory_.file("points3D.bin", bytes)).cloud;
  EXPECT_THAT(cloud.points_m, ElementsAre(Vec3(0.1, 0.2, 1.1)));
  EXPECT_THAT(cloud.colours, ElementsAre(Rgb{9, 8, 7}));
  const auto longer = directory_.file("points3D.bin", bytes + "x");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_cloud_file(longer); }),
              HasSubstr("has data after its last"));
}

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
              HasSubstr("frames[0].transform_matrix: must be 4 rows of 4 numbers"));
  EXPECT_THAT(refused(R"({"frames": [{"file_path": "a",
      "transform_matrix": [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]}]})"),
              HasSubstr("is not a rotation"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_camera_poses(dir.path()); }), HasSubstr("images.bin"));
}

class CameraCentres : public testing::Test {
 protected:
  std::vector<CameraCentre> read(const std::string& text) const {
    return read_camera_centres(directory_.file("cameras.txt", text));
  }
  CameraCentre first(const std::string& text) const { return read(text).front(); }
  std::string problem(const std::string& text) const {
    return error_of(ErrorKind::input, [&] { read(text); });
  }
  TemporaryDirectory directory_;
};

TEST_F(CameraCentres, NamesMayHoldBlanksCommasAndOtherLetters) {
  for (const auto& [line, name] : {std::pair("cam 1 2 3", "cam"),
                                   {"left camera.jpg 1 2 3", "left camera.jpg"},
                                   {"left,front\t1 2 3", "left,front"},
                                   {"left, front.jpg, 1, 2, 3", "left, front.jpg"},
                                   {"camera 7,1,2,3", "camera 7"},
                                   {"\"camera 7\" 1 2 3", "camera 7"},
                                   {"\"a, 7\",1,2,3", "a, 7"},
                                   {"K\xc3\xa4mera_\xe6\xb0\xb4 1 2 3", "K\xc3\xa4mera_\xe6\xb0\xb4"}}) {
    const CameraCentre camera = first(std::string(line) + "\n");
    EXPECT_EQ(camera.name, name) << line;
    EXPECT_EQ(camera.centre, Vec3(1, 2, 3)) << line;
  }
  EXPECT_THAT(problem("cam 1 2 3 4\n"), HasSubstr("line 1: 'cam 1' may be a name or a name and a number"));
  EXPECT_THAT(problem("a,1,2,3,4\n"), HasSubstr("put names in quotation marks"));
  EXPECT_THAT(problem("a 1 2\n"), HasSubstr("inside a matrix"));
  EXPECT_THAT(problem("a 1 2\nb 4 5 6\nc 7 8 9\nd 1 2 3\ne 1 1 1\n"),
              HasSubstr("line 2: camera: expected a row"));
  EXPECT_THAT(problem("a,1,2,\nb,4,5,6\nc,7,8,9\nd,1,2,3\ne,1,1,1\n"), HasSubstr("line 1: "));
  EXPECT_THAT(problem("a 1,5 2,5 3,5\n"), HasSubstr("line 1: is not a camera in a known format"));
  EXPECT_THAT(problem("a b 1 2 3\na b 1 2 4\n"), HasSubstr("camera 'a b' comes twice"));
  EXPECT_EQ(first("7.5 1 2 3 0 0 0 1\n").name, "7.5") << "TUM";
  EXPECT_EQ(first("7.5,1,2,3,0,0,0,1,\n").centre, Vec3(1, 2, 3)) << "a comma at the end";
}

// Tanks and Temples' log has the identity for an image that was not registered: it stands nowhere.
TEST_F(CameraCentres, LoggedCamerasThatWereNotRegisteredAreLeftOut) {
  const std::string at = "1 0 0 4\n0 1 0 5\n0 0 1 6\n0 0 0 1\n",
                    nowhere = "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
  const auto cameras = read("0 0 0\n" + at + "1 -1 0\n" + nowhere + "2 2 0\n" + at);
  ASSERT_EQ(cameras.size(), 2U);
  EXPECT_EQ(cameras[1].name, "2");
  EXPECT_EQ(cameras[1].centre, Vec3(4, 5, 6));
  EXPECT_THAT(problem("0 -1 0\n" + nowhere), HasSubstr("no cameras"));
}

TEST_F(CameraCentres, ColmapImagesOfAnyFormAndFolders) {
  // A quarter turn about z: x_camera = R x + t, the centre is -R^T t.
  const double half = std::sqrt(0.5);
  const std::string pose = " " + std::to_string(half) + " 0 0 " + std::to_string(half) + " 1 2 3 1 ";
  const std::string a = "1" + pose + "rig, left/a 1.jpg\n", b = "2" + pose + "b.jpg\n";
  for (const std::string& text : {a + "\n" + b + "\n", a + b, a + "1 2 -1\n" + b}) {
    const auto cameras = read(text);
    ASSERT_EQ(cameras.size(), 2U) << text;
    EXPECT_EQ(cameras[0].name, "rig, left/a 1.jpg");
    EXPECT_LT((cameras[0].centre - Vec3(-2, 1, -3)).norm(), 1e-6);
  }
  std::filesystem::create_directories(directory_.path() / "model/sparse/0");
  std::string bytes;
  const auto append = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(std::uint64_t{1});
  append(std::uint32_t{1});
  for (const double value : {half, 0.0, 0.0, half, 1.0, 2.0, 3.0}) append(value);
  append(std::uint32_t{1});
  bytes += std::string("a 1.jpg\0", 8);
  append(std::uint64_t{0});
  const auto file = directory_.file("model/sparse/0/images.bin", bytes);
  for (const auto& path : {file, directory_.path() / "model", directory_.path() / "model/sparse/0"}) {
    const auto cameras = read_camera_centres(path);
    ASSERT_EQ(cameras.size(), 1U) << path;
    EXPECT_EQ(cameras[0].name, "a 1.jpg");
    EXPECT_LT((cameras[0].centre - Vec3(-2, 1, -3)).norm(), 1e-12);
  }
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_camera_centres(directory_.path()); }),
              HasSubstr("holds no images.bin and no images.txt of COLMAP"));
}

}  // namespace
}  // namespace aqbench
