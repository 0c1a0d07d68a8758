// Pixels of the pictures, read back with OpenCV, against colours worked out here.
#include "harness/scoring/depth_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <opencv2/imgcodecs.hpp>

#include "core/drawing/colour_map.h"
#include "scenes/cloud/npy.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

cv::Mat decode_png(const std::string& bytes) {
  return cv::imdecode(std::vector<unsigned char>(bytes.begin(), bytes.end()), cv::IMREAD_COLOR);
}

Rgb8 pixel_of(const cv::Mat& image, int x, int y) {
  const auto& bgr = image.at<cv::Vec3b>(y, x);
  return {bgr[2], bgr[1], bgr[0]};
}

// The pictures of one camera whose truth lies on the disk.
PictureFiles depth_pictures_of(const DepthMap& estimate, const DepthMap& truth) {
  const TemporaryDirectory folder;
  Camera camera;
  camera.name = truth.camera;
  camera.intrinsics.width_px = truth.width;
  camera.intrinsics.height_px = truth.height;
  std::filesystem::create_directories(folder / "truth" / truth.camera);
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(truth.height),
                                            static_cast<std::size_t>(truth.width)};
  write_npy(folder / "truth" / truth.camera / "depth.npy", truth.depth_along_ray_m, shape);
  return depth_pictures(std::span(&estimate, 1), std::span(&camera, 1), folder.path());
}

TEST(DepthPictures, ColourWhatIsThereAndMarkWhatIsNot) {
  const float none = std::nanf("");
  //                         right   nearer   no depth no truth deeper   least
  const DepthMap truth{"cam03", 3, 2, {0.25F, 0.25F, 0.25F, none, 0.30F, 0.20F}, {}};
  const DepthMap estimate{"cam03", 3, 2, {0.25F, 0.2494F, 0.F, 0.25F, 0.3008F, 0.20F}, {}};
  const auto files = depth_pictures_of(estimate, truth);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].first, "pictures.csv");
  // 95th percentile of |0, 0.6, 0.8, 0| mm is 0.77 mm: the scale ends at 1.
  EXPECT_EQ(files[0].second,
            "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\n"
            "depth.png,depth,cam03,m,0.2,0.3,1,80,20\n"
            "depth_error.png,depth_error,cam03,mm,-1,1,1,80,0\n");
  const cv::Mat depth = decode_png(files[1].second), error = decode_png(files[2].second);
  ASSERT_EQ(depth.cols, 3);
  ASSERT_EQ(depth.rows, 2);
  EXPECT_EQ(pixel_of(depth, 0, 0), sequential_colour(kColourSteps / 2));
  EXPECT_EQ(pixel_of(depth, 2, 0), kNoValueColour);
  EXPECT_EQ(pixel_of(depth, 0, 1), sequential_colour(kColourSteps / 2)) << "a depth without truth is shown";
  EXPECT_EQ(pixel_of(depth, 1, 1), sequential_colour(kColourSteps - 1));
  EXPECT_EQ(pixel_of(depth, 2, 1), sequential_colour(0));
  EXPECT_EQ(pixel_of(error, 0, 0), diverging_colour(kColourSteps / 2));
  EXPECT_EQ(pixel_of(error, 1, 0), diverging_colour(colour_step(0.8))) << "0.6 mm nearer is red";
  EXPECT_EQ(pixel_of(error, 2, 0), kNoValueColour);
  EXPECT_EQ(pixel_of(error, 0, 1), kNoTruthColour);
  EXPECT_EQ(pixel_of(error, 1, 1), diverging_colour(colour_step(0.1))) << "0.8 mm deeper is blue";
  EXPECT_EQ(depth_pictures_of(estimate, truth), files) << "the same bytes";
}

// Without a truth the colours go over the depths themselves: 101 depths, so that percentiles are depths.
TEST(DepthPictures, WithoutTruthHaveTheRangeOfTheDepths) {
  DepthMap map{"cam00", 101, 1, {}, {}};
  for (int i = 0; i <= 100; ++i) {
    map.depth_along_ray_m.push_back(0.2F + 0.001F * static_cast<float>(i));
    map.confidence.push_back(static_cast<float>(i) / 100);
  }
  DepthMap second{"cam01", 1, 1, {std::nanf("")}, {}};
  const auto files = depth_pictures_without_truth(std::vector<DepthMap>{map, second});
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].second,
            "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\n"
            "depth.png,depth,cam00,m,0.201,0.299,1,100,1.98\n"
            "confidence.png,confidence,cam00,1,0,1,1,100,\n"
            "depth_1.png,depth,cam01,m,0.201,0.299,1,0,\n");
  const cv::Mat depth = decode_png(files[1].second);
  EXPECT_EQ(pixel_of(depth, 0, 0), sequential_colour(0));
  EXPECT_EQ(pixel_of(depth, 50, 0), sequential_colour(kColourSteps / 2));
  EXPECT_EQ(pixel_of(depth, 100, 0), sequential_colour(kColourSteps - 1));
  EXPECT_EQ(pixel_of(decode_png(files[3].second), 0, 0), kNoValueColour);
  EXPECT_TRUE(depth_pictures_without_truth(std::vector<DepthMap>{second}).empty());
}

TEST(DepthPictures, OfLargeMapsShowEveryNthPixelAndStaySmall) {
  DepthMap truth{"cam00", 1000, 700, {}, {}};
  for (int i = 0; i < 700000; ++i)
    truth.depth_along_ray_m.push_back(0.2F + 1e-4F * static_cast<float>(i % 1000));
  DepthMap estimate = truth;  // errors that look like noise, 0 to 1 mm: the worst to compress
  std::uint32_t state = 1;
  for (float& depth_m : estimate.depth_along_ray_m) {
    state = state * 1664525u + 1013904223u;
    depth_m += 1e-3F * static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  const auto files = depth_pictures_of(estimate, truth);
  const cv::Mat depth = decode_png(files.at(1).second);
  EXPECT_EQ(depth.cols, 334);
  EXPECT_EQ(depth.rows, 234);
  EXPECT_EQ(pixel_of(depth, 100, 50),
            sequential_colour(colour_step((estimate.depth_along_ray_m[151 * 1000 + 301] - 0.2) / 0.0999)));
  EXPECT_THAT(files[0].second, HasSubstr(",3,100,"));
  EXPECT_LT(files[2].second.size(), 60000u);
}

TEST(DepthPictures, WithoutTruthOrDepths) {
  const float none = std::nanf("");
  const DepthMap nothing{"a", 2, 1, {none, none}, {}}, flat{"a", 2, 1, {0.2F, 0.2F}, {}};
  EXPECT_TRUE(depth_pictures_of(flat, nothing).empty());
  const auto files = depth_pictures_of(nothing, flat);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_THAT(files[0].second, HasSubstr("depth.png,depth,a,m,0.2,0.2,1,0,\n"));
  EXPECT_EQ(pixel_of(decode_png(files[1].second), 0, 0), kNoValueColour);
  EXPECT_TRUE(depth_pictures({}, {}, "/nowhere").empty());
}

// Every camera has its pictures, on one scale: cam2 is 30 mm off, and the errors of the others still show.
TEST(DepthPictures, OfEveryCameraOnOneScaleWithConfidenceWhereThereIsOne) {
  const TemporaryDirectory folder;
  const std::vector<float> true_m(300 * 200, 0.25F);
  const std::array<std::size_t, 2> shape = {200, 300};
  std::vector<Camera> cameras(4);
  std::vector<DepthMap> maps;
  const float errors_m[] = {0.0004F, 0.0009F, 0.03F, 0};
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    cameras[i].name = "cam" + std::to_string(i);
    cameras[i].intrinsics.width_px = 300;
    cameras[i].intrinsics.height_px = 200;
    std::filesystem::create_directories(folder / "truth" / cameras[i].name);
    write_npy(folder / "truth" / cameras[i].name / "depth.npy", true_m, shape);
    DepthMap map{cameras[i].name, 300, 200, std::vector<float>(true_m.size(), 0.25F - errors_m[i]), {}};
    if (i == 1) map.confidence.assign(true_m.size(), 1.0F);
    if (i < 3) maps.push_back(std::move(map));  // of cam3 the method has none
  }
  const auto files = depth_pictures(maps, cameras, folder.path());
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("pictures.csv", "depth.png", "depth_error.png", "depth_1.png",
                                          "depth_error_1.png", "confidence_1.png", "depth_2.png",
                                          "depth_error_2.png", "depth_3.png", "depth_error_3.png"));
  // Limits 0.5, 1 and 50: the middle one for all.
  EXPECT_THAT(files[0].second, HasSubstr("depth_error.png,depth_error,cam0,mm,-1,1,1,100,0\n"));
  EXPECT_THAT(files[0].second, HasSubstr("depth_error_2.png,depth_error,cam2,mm,-1,1,2,100,100\n"));
  EXPECT_THAT(files[0].second, HasSubstr("confidence_1.png,confidence,cam1,1,0,1,2,100,\n"));
  EXPECT_EQ(decode_png(files[1].second).cols, 300);
  EXPECT_EQ(decode_png(files[3].second).cols, 150);
  EXPECT_EQ(pixel_of(decode_png(files[2].second), 5, 5), diverging_colour(colour_step(0.7)));
  EXPECT_EQ(pixel_of(decode_png(files[4].second), 5, 5), diverging_colour(colour_step(0.95)));
  EXPECT_EQ(pixel_of(decode_png(files[7].second), 5, 5), diverging_colour(kColourSteps - 1));
  EXPECT_EQ(pixel_of(decode_png(files[5].second), 5, 5), sequential_colour(kColourSteps - 1));
  EXPECT_EQ(pixel_of(decode_png(files[9].second), 5, 5), kNoValueColour);
  // Cameras of which the method has no map say nothing of the scale.
  maps.erase(maps.begin(), maps.begin() + 2);
  EXPECT_THAT(depth_pictures(maps, cameras, folder.path())[0].second,
              HasSubstr("depth_error_2.png,depth_error,cam2,mm,-50,50,2,100,0\n"));
}

}  // namespace
}  // namespace aqbench
