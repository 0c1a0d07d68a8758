#include "scenes/images/tiff_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
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

template <typename Value>
std::string four_samples(bool big, std::initializer_list<Value> values) {
  std::string data;
  for (const Value value : values) data += ordered(value, big);
  return data;
}

std::string tiff_error(const std::string& bytes) {
  return error_of(ErrorKind::input, [&] { decode_tiff_depths(bytes, "a.tif"); });
}

TEST(TiffDepths, FloatsAndCountsOfEitherByteOrder) {
  for (const bool big : {false, true}) {
    const auto floats =
        decode_tiff_depths(plain_tiff({.big = big}, four_samples<float>(big, {1, 2, 3, 4.5F})), "a");
    EXPECT_THAT(floats.values, ElementsAre(1, 2, 3, 4.5F)) << big;
    EXPECT_FALSE(floats.counts);
    const auto doubles = decode_tiff_depths(
        plain_tiff({.bits = 64, .big = big}, four_samples<double>(big, {1, 2, 3, 4.5})), "a");
    EXPECT_EQ(doubles.values, floats.values) << big;
    const auto counts =
        decode_tiff_depths(plain_tiff({.bits = 16, .format = 1, .big = big},
                                      four_samples<std::uint16_t>(big, {1, 256, 1000, 65535})),
                           "a");
    EXPECT_THAT(counts.values, ElementsAre(1, 256, 1000, 65535)) << big;
    EXPECT_TRUE(counts.counts);
  }
}

// OpenCV's writer compresses.
TEST(TiffDepths, FloatsThatOpenCvWrote) {
  cv::Mat image(33, 5, CV_32FC1);
  for (int y = 0; y < 33; ++y)
    for (int x = 0; x < 5; ++x) image.at<float>(y, x) = 0.1F * static_cast<float>(5 * y + x);
  std::vector<unsigned char> bytes;
  ASSERT_TRUE(cv::imencode(".tiff", image, bytes));
  const TemporaryDirectory directory;
  const DepthImage depths =
      read_depth_image(directory.file("d.tif", std::string(bytes.begin(), bytes.end())));
  EXPECT_EQ(depths.width, 5);
  EXPECT_EQ(depths.height, 33);
  ASSERT_EQ(depths.values.size(), 165U);
  for (std::size_t i = 0; i < 165; ++i) EXPECT_EQ(depths.values[i], 0.1F * static_cast<float>(i)) << i;
}

TEST(TiffDepths, ErrorsSayWhatIsWrong) {
  const auto data = four_samples<float>(false, {1, 2, 3, 4});
  EXPECT_EQ(tiff_error(plain_tiff({.channels = 3}, data)), "a.tif: TIFF: a depth map has one channel, not 3");
  EXPECT_THAT(tiff_error(plain_tiff({.bits = 8, .format = 1}, data)),
              HasSubstr("samples of 8 bits are not supported"));
  EXPECT_THAT(tiff_error(plain_tiff({.bits = 16, .format = 2}, data)), HasSubstr("16 bits, signed,"));
  EXPECT_THAT(tiff_error(plain_tiff({.orientation = 3}, data)), HasSubstr("from top to bottom"));
  EXPECT_THAT(tiff_error(plain_tiff({.twice = true}, data)), HasSubstr("several images"));
  EXPECT_THAT(tiff_error(std::string("II*\0", 4)), HasSubstr("a.tif: TIFF: "));
}

TEST(TiffDepths, NoProperBeginningOfAFileIsRead) {
  const auto whole = plain_tiff({}, four_samples<float>(false, {1, 2, 3, 4}));
  const std::size_t needed =
      whole.size() - 4;  // where the next directory would be is not asked for by all readers
  for (std::size_t size = 0; size < needed; ++size)
    EXPECT_THAT(tiff_error(whole.substr(0, size)), HasSubstr("a.tif: TIFF: ")) << size;
}

}  // namespace
}  // namespace aqbench
