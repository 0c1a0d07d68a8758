#include "scenes/cloud/colmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace aqbench
