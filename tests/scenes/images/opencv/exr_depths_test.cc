#include "scenes/images/opencv/exr_depths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "scenes/images/depth_file.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/images/plain_depth_files.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An image as OpenCV's own writer makes it.
std::string exr_of(const cv::Mat& image, int type) {
  ::setenv("OPENCV_IO_ENABLE_OPENEXR", "1", 1);  // Debian's OpenCV asks for it
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(".exr", image, bytes, {cv::IMWRITE_EXR_TYPE, type}));
  return {bytes.begin(), bytes.end()};
}

constexpr std::int32_t kFloat = 2;

std::string two(float left, float right) { return exr_bytes(left) + exr_bytes(right); }

std::string exr_error(const std::string& bytes) {
  return error_of(ErrorKind::input, [&] { decode_exr_depths(bytes, "a.exr"); });
}

TEST(ExrDepths, FloatsThatOpenCvWrote) {
  cv::Mat image(40, 3, CV_32FC1);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 3; ++x) image.at<float>(y, x) = 0.125F * static_cast<float>(3 * y + x);
  const TemporaryDirectory directory;
  const DepthImage depths =
      read_depth_image(directory.file("d.exr", exr_of(image, cv::IMWRITE_EXR_TYPE_FLOAT)));
  EXPECT_EQ(depths.width, 3);
  EXPECT_EQ(depths.height, 40);
  EXPECT_FALSE(depths.counts);
  ASSERT_EQ(depths.values.size(), 120U);
  for (std::size_t i = 0; i < 120; ++i) EXPECT_EQ(depths.values[i], 0.125F * static_cast<float>(i)) << i;
  const DepthImage halves = decode_exr_depths(exr_of(image, cv::IMWRITE_EXR_TYPE_HALF), "h.exr");
  EXPECT_EQ(halves.values, depths.values);  // eighths below 16 have eleven bits at most
}

TEST(ExrDepths, OfSeveralChannelsTheOneThatIsCalledSo) {
  const auto one = plain_exr(exr_channel("any", kFloat), {two(1, 2), two(3, 4)});
  EXPECT_THAT(decode_exr_depths(one, "a").values, ElementsAre(1, 2, 3, 4));
  const auto layers = plain_exr(exr_channel("A", kFloat) + exr_channel("View.Depth.Z", kFloat),
                                {two(9, 9) + two(1, 2), two(9, 9) + two(3, 4)});
  EXPECT_THAT(decode_exr_depths(layers, "a").values, ElementsAre(1, 2, 3, 4));
}

TEST(ExrDepths, ErrorsSayWhatIsWrong) {
  const auto rows = {two(1, 2) + two(1, 2), two(3, 4) + two(3, 4)};
  EXPECT_EQ(exr_error(plain_exr(exr_channel("B", kFloat) + exr_channel("G", kFloat), rows)),
            "a.exr: EXR: unknown depth channel; one must be named Z, depth or V, got B, G");
  EXPECT_THAT(exr_error(plain_exr(exr_channel("V", kFloat) + exr_channel("Z", kFloat), rows)),
              HasSubstr("got V, Z"));
  EXPECT_THAT(exr_error(plain_exr(exr_channel("Z", 0), {two(1, 2), two(3, 4)})), HasSubstr("not integers"));
  EXPECT_THAT(exr_error(plain_exr(exr_channel("Z", kFloat), {two(1, 2), two(3, 4)}, 7)),
              HasSubstr("cropped data window"));
  EXPECT_THAT(exr_error("\x76\x2f\x31\x01"), HasSubstr("a.exr: EXR: "));
}

TEST(ExrDepths, NoProperBeginningOfAFileIsRead) {
  const auto whole = plain_exr(exr_channel("Z", kFloat), {two(1, 2), two(3, 4)});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(exr_error(whole.substr(0, size)), HasSubstr("a.exr: EXR: ")) << size;
}

}  // namespace
}  // namespace aqbench
