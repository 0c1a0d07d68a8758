#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// A ramp from red to blue, 640 x 90 pixels of 8 or 16 bits, read back with OpenCV.
TEST(SmallPhotograph, IsAThirdAsWideInColourAndAlwaysTheSame) {
  RgbImage image{640, 90, false, {}};
  for (int i = 0; i < 640 * 90; ++i) {
    const auto level = static_cast<unsigned char>(255 * (i % 640) / 639);
    image.bytes.insert(image.bytes.end(), {static_cast<unsigned char>(255 - level), 40, level});
  }
  RgbImage deep{640, 90, true, {}};
  for (const unsigned char level : image.bytes) deep.bytes.insert(deep.bytes.end(), {level, level});
  const std::string png = encode_png(image);
  const SmallPhotograph small = small_photograph(png, "a.png", 0);
  EXPECT_EQ(small.every_px, 3);  // 640 / 256 is 2.5
  const cv::Mat seen =
      cv::imdecode(std::vector<unsigned char>(small.jpeg.begin(), small.jpeg.end()), cv::IMREAD_COLOR);
  ASSERT_EQ(seen.cols, 213);
  ASSERT_EQ(seen.rows, 30);
  for (const int x : {0, 100, 212}) {
    const double level = 255.0 * (3 * x + 1) / 639;
    EXPECT_NEAR(seen.at<cv::Vec3b>(15, x)[2], 255 - level, 8) << x;
    EXPECT_NEAR(seen.at<cv::Vec3b>(15, x)[1], 40, 8) << x;
    EXPECT_NEAR(seen.at<cv::Vec3b>(15, x)[0], level, 8) << x;
  }
  EXPECT_EQ(small_photograph(png, "b.png", 0).jpeg, small.jpeg);
  EXPECT_EQ(small_photograph(encode_png(deep), "c.png", 0).jpeg, small.jpeg);
  EXPECT_EQ(small_photograph(encode_png(2, 2, 8, std::vector<std::uint16_t>(4, 9)), "d.png", 0).every_px, 1);
  EXPECT_THAT(error_of(ErrorKind::input, [] { small_photograph("no image", "e.png", 0); }),
              HasSubstr("e.png"));
}

TEST(SmallPhotograph, IsAsWideAsItsBytesAllowBetween256And640Pixels) {
  RgbImage noise{1280, 320, false, {}};
  std::uint32_t state = 1;
  for (int i = 0; i < 3 * 1280 * 320; ++i) {
    state = 1664525 * state + 1013904223;
    noise.bytes.push_back(static_cast<unsigned char>(state >> 24));
  }
  const std::string png = encode_png(noise);
  const auto factor = [&](std::size_t most_bytes) {
    return small_photograph(png, "a.png", most_bytes).every_px;
  };
  const SmallPhotograph large = small_photograph(png, "a.png", 1'000'000);
  EXPECT_EQ(large.every_px, 2);
  EXPECT_EQ(decode_rgb_jpeg(large.jpeg, "a.jpg").width, 640);
  EXPECT_EQ(factor(large.jpeg.size()), 2);
  EXPECT_EQ(factor(large.jpeg.size() - 1), 3);
  EXPECT_EQ(factor(1), 5);
}

}  // namespace
}  // namespace aqbench
