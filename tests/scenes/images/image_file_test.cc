#include "scenes/images/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "core/error.h"

namespace aqbench {
namespace {

std::string encoded(const char* ending, int type, const std::vector<int>& options = {}) {
  cv::Mat pixels(12, 16, type);
  cv::randu(pixels, 0, 255);
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(ending, pixels, bytes, options));
  return {bytes.begin(), bytes.end()};
}

std::string image_problem(const std::string& bytes) {
  try {
    inspect_image(bytes, "a/b.img");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), testing::StartsWith("a/b.img: "));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.problem();
  }
  return "none";
}

TEST(ImageFile, SizeAndBitsAreThoseOfTheImage) {
  const auto is = [](const std::string& bytes, ImageFormat format, int bits) {
    const ImageInfo info = inspect_image(bytes, "x");
    EXPECT_EQ(info.format, format);
    EXPECT_EQ(info.width_px, 16);
    EXPECT_EQ(info.height_px, 12);
    EXPECT_EQ(info.bits, bits);
  };
  is(encoded(".png", CV_8UC3), ImageFormat::png, 8);
  is(encoded(".png", CV_16UC1), ImageFormat::png, 16);
  is(encoded(".jpg", CV_8UC3), ImageFormat::jpeg, 8);
  is(encoded(".jpg", CV_8UC1, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}), ImageFormat::jpeg, 8);
  is(encoded(".tiff", CV_8UC3), ImageFormat::tiff, 8);
  is(encoded(".tiff", CV_16UC3), ImageFormat::tiff, 16);
}

TEST(ImageFile, EveryCutIsFound) {
  for (const char* const ending : {".png", ".jpg"}) {
    const std::string whole = encoded(ending, CV_8UC3);
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(image_problem(whole.substr(0, size)), "none") << ending << " cut at " << size;
  }
  const std::string tiff = encoded(".tiff", CV_8UC3);
  EXPECT_NE(image_problem(tiff.substr(0, tiff.size() / 2)), "none");
  const std::string jpeg = encoded(".jpg", CV_8UC3);
  EXPECT_EQ(image_problem(jpeg.substr(0, jpeg.size() - 20)), "is truncated");
}

TEST(ImageFile, DamageAndOtherFormatsAreNamed) {
  std::string png = encoded(".png", CV_8UC3);
  png[png.size() / 2] ^= 1;
  EXPECT_THAT(image_problem(png), testing::HasSubstr("checksum"));
  EXPECT_EQ(image_problem("GIF89a"), "not a PNG, JPEG or TIFF file");
  EXPECT_EQ(image_problem(""), "is empty");
  EXPECT_THAT(image_problem(encoded(".tiff", CV_32FC1)), testing::HasSubstr("bits"));
  // An EXIF segment with orientation 6 after the JPEG's start.
  const std::string exif(
      "\xff\xe1\x00\x22"
      "Exif\0\0"
      "II*\0\x08\0\0\0"
      "\x01\0"
      "\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"
      "\0\0\0\0",
      36);
  std::string turned = encoded(".jpg", CV_8UC3);
  turned.insert(2, exif);
  EXPECT_THAT(image_problem(turned), testing::HasSubstr("orientation 6"));
  // The same in a PNG file, after and before the pixels, with its check sum.
  const std::string chunk = std::string(
                                "\0\0\0\x1a"
                                "eXIf",
                                8) +
                            exif.substr(10) + "\xb7\x48\x11\x29";
  for (const std::size_t from_end : {std::size_t{12}, encoded(".png", CV_8UC3).size() - 33}) {
    std::string png_turned = encoded(".png", CV_8UC3);
    png_turned.insert(png_turned.size() - from_end, chunk);
    EXPECT_THAT(image_problem(png_turned), testing::HasSubstr("orientation 6"));
  }
  EXPECT_TRUE(is_image_name("a/B.JPeG") && !is_image_name("a/jpeg"));
}

}  // namespace
}  // namespace aqbench
