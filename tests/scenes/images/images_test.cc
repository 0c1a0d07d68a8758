#include "scenes/images/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "core/files.h"
#include "scenes/images/image_file.h"
#include "scenes/images/png_file.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

// The header of a PNG file is read before its pixels: a small file may promise any number of them.
TEST(DecodeGrey, RefusesAnotherSizeThanTheCamerasBeforeItDecodes) {
  const std::vector<std::uint16_t> values = {0, 51, 102, 153, 204, 255};
  const std::string png = encode_png(3, 2, 8, values);
  const GreyImage image = decode_grey(png, 3, 2, "a.png");
  ASSERT_EQ(image.values.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(image.values[i], 0.2 * static_cast<double>(i), 1e-6);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { decode_grey(png, 2, 3, "a.png"); }),
            "a.png: is 3 x 2 px, expected 2 x 3");
  const std::string jpeg(
      "\xff\xd8\xff\xc0\x00\x0b\x08\x3d\xb4\xfc\x1f\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"
      "\x54\xff"
      "\xd9",
      28);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { decode_grey(jpeg, 8, 8, "b.jpg"); }),
            "b.jpg: is 64543 x 15796 px, expected 8 x 8");
  // A second header after the pixels would promise less than the first, by which decoders ask for memory.
  const std::string twice = jpeg.substr(0, 26) +
                            std::string("\xff\xc0\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00", 13) +
                            jpeg.substr(26);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { decode_grey(twice, 8, 8, "b.jpg"); }),
            "b.jpg: damaged: two frame headers");
  EXPECT_NE(error_of(ErrorKind::input, [] { decode_grey("P6 1 1 255 abc", 1, 1, "c.ppm"); }), "");
}

// ---- Every fixture, and what OpenCV writes, decodes to the bits that OpenCV's own decoders give ----

template <class Sample>
std::vector<float> grey_of(const cv::Mat& bgr, float white) {
  std::vector<float> grey;
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const auto& pixel = bgr.at<cv::Vec<Sample, 3>>(y, x);
      grey.push_back((0.114F * static_cast<float>(pixel[0]) + 0.587F * static_cast<float>(pixel[1]) +
                      0.299F * static_cast<float>(pixel[2])) /
                     white);
    }
  return grey;
}

void expect_the_bits_of_opencv(const std::string& bytes, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  const std::vector<unsigned char> encoded(bytes.begin(), bytes.end());
  const cv::Mat bgr = cv::imdecode(encoded, cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH);
  ASSERT_EQ(bgr.channels(), 3) << name;
  const std::vector<float> wanted =
      bgr.depth() == CV_8U ? grey_of<std::uint8_t>(bgr, 255) : grey_of<std::uint16_t>(bgr, 65535);
  const GreyImage image = decode_grey(bytes, info.width_px, info.height_px, name);
  ASSERT_EQ(image.width, bgr.cols) << name;
  ASSERT_EQ(image.height, bgr.rows) << name;
  ASSERT_EQ(image.values.size(), wanted.size()) << name;
  EXPECT_EQ(std::memcmp(image.values.data(), wanted.data(), wanted.size() * sizeof(float)), 0) << name;
}

TEST(Decode, EveryCommittedImageHasTheBitsOfOpenCv) {
  std::size_t images = 0;
  for (const char* const folder : {"tests/data/images", "conformance", "docs/images"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(AQBENCH_SOURCE_DIR) / folder))
      if (entry.is_regular_file() && is_image_name(entry.path())) {
        expect_the_bits_of_opencv(read_file(entry.path()), entry.path().string());
        ++images;
      }
  EXPECT_GT(images, 50U);
}

TEST(Decode, WhatOpenCvWritesHasTheBitsThatOpenCvReads) {
  cv::theRNG().state = 7;
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_16UC4})
    for (const char* const ending : {".png", ".jpg", ".tif"}) {
      if (std::string(ending) == ".jpg" && CV_MAT_DEPTH(type) != CV_8U) continue;
      cv::Mat pixels(31, 45, type);
      cv::randu(pixels, 0, CV_MAT_DEPTH(type) == CV_8U ? 256 : 65536);
      std::vector<unsigned char> bytes;
      ASSERT_TRUE(cv::imencode(ending, pixels, bytes));
      expect_the_bits_of_opencv({bytes.begin(), bytes.end()}, cv::typeToString(type) + ending);
    }
}

TEST(EncodePng, WritesTheBytesThatOpenCvWrites) {
  cv::theRNG().state = 8;
  for (const int bits : {8, 16}) {
    cv::Mat grey(37, 53, bits == 8 ? CV_8UC1 : CV_16UC1);
    cv::randu(grey, 0, bits == 8 ? 256 : 65536);
    cv::Mat colours;
    cv::merge(std::vector<cv::Mat>{grey, grey, grey}, colours);
    std::vector<unsigned char> wanted;
    ASSERT_TRUE(cv::imencode(".png", colours, wanted, {cv::IMWRITE_PNG_COMPRESSION, 1}));
    grey.convertTo(grey, CV_16U);
    const std::vector<std::uint16_t> values(grey.begin<std::uint16_t>(), grey.end<std::uint16_t>());
    EXPECT_EQ(encode_png(grey.cols, grey.rows, bits, values), std::string(wanted.begin(), wanted.end()));
  }
}

TEST(Decode, DamagedDataIsRefusedWithTheFilesName) {
  const std::filesystem::path folder = std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/data/images";
  std::string tiff = read_file(folder / "colour_lzw.tif");
  const ImageInfo info = inspect_image(tiff, "a.tif");
  for (std::size_t at = 8; at < 200; ++at) tiff[at] = '\xff';
  EXPECT_THAT(error_of(ErrorKind::input, [&] { decode_grey(tiff, info.width_px, info.height_px, "a.tif"); }),
              testing::StartsWith("a.tif: "));
}

}  // namespace
}  // namespace aqbench
