#include "scenes/cloud/camera_centres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

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
  EXPECT_THAT(problem("a 1,5 2,5 3,5\n"), HasSubstr("line 1: is not a camera in a known format"));
  EXPECT_THAT(problem("a b 1 2 3\na b 1 2 4\n"), HasSubstr("camera 'a b' comes twice"));
  EXPECT_EQ(first("7.5 1 2 3 0 0 0 1\n").name, "7.5") << "TUM";
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
