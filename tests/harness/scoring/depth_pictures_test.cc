// Pixels of the pictures, read back with OpenCV, against colours worked out here.
#include "harness/scoring/depth_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgcodecs.hpp>

#include "core/drawing/colour_map.h"

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

}  // namespace
}  // namespace aqbench
