#include "scenes/images/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "core/error.h"
#include "core/files.h"
#include "scenes/images/images.h"
#include "tests/core/allocation_watch.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/images/plain_depth_files.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HasSubstr;

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

// 480 x 180 px, one channel, without restart markers.
std::string whole_jpeg() { return read_file(AQBENCH_SOURCE_DIR "/docs/images/flat_plane.jpg"); }

TEST(JpegDamage, ALostBlockIsFoundWhereverItLies) {
  const std::string whole = whole_jpeg();
  EXPECT_EQ(find_jpeg_damage(whole), "");
  constexpr std::size_t kPlaces = 40, kBlock = 512;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const std::size_t at = whole.size() / 10 + i * whole.size() * 4 / 5 / kPlaces;
    std::string damaged = whole;
    damaged.replace(at, kBlock, std::string(kBlock, '\0'));
    EXPECT_THAT(find_jpeg_damage(damaged), HasSubstr("Corrupt JPEG data")) << at;
  }
}

TEST(JpegDamage, ZeroBytesBeforeTheEndAreFillingAndOthersAreNot) {
  std::string filled = whole_jpeg(), longer = filled;
  filled.insert(filled.size() - 2, 40, '\0');
  EXPECT_EQ(find_jpeg_damage(filled), "");
  longer.insert(longer.size() - 2, 40, '\x37');
  EXPECT_THAT(find_jpeg_damage(longer), HasSubstr("extraneous bytes"));
}

// The image with a header that says 65500 x 65500 px, which need 8.6 GB.
std::string jpeg_that_says_huge() {
  std::string huge = whole_jpeg();
  const std::size_t frame = huge.find("\xff\xc0");
  EXPECT_NE(frame, std::string::npos);
  return huge.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
}

// Enough bytes follow to hold that many blocks; the memory for them is more than this test's limit allows.
TEST(JpegDamage, RefusedMemoryIsNoDamage) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs the address space that this test takes away";
#endif
  const std::string huge = jpeg_that_says_huge() + std::string(std::size_t{65500} * 65500 / 512, '\0');
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit low = before;
  low.rlim_cur = rlim_t{2} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  EXPECT_THROW(find_jpeg_damage(huge), std::bad_alloc);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

TEST(JpegDamage, MorePixelsThanTheBytesCanHoldAreDamage) {
  EXPECT_EQ(find_jpeg_damage(jpeg_that_says_huge()), "says more pixels than its bytes can hold");
}

TEST(JpegDamage, FatalDecoderErrorsAreReportedToo) {
  EXPECT_THAT(find_jpeg_damage("\xff\xd8\xff no more"), HasSubstr("marker"));
  EXPECT_THAT(find_jpeg_damage(""), HasSubstr("Empty input file"));
}

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

// ---- Files that say more than they hold ----

std::string png_error(const std::string& bytes) {
  return error_of(ErrorKind::input, [&] { decode_rgb_png(bytes, "a.png"); });
}

TEST(HostileFiles, ImagesThatTheirBytesCannotHoldAreRefusedBeforeMemoryIsTaken) {
  const std::string png = plain_png(30000, 30000, 8, 2, "");
  EXPECT_LT(png.size(), 130U);
  EXPECT_EQ(png_error(png), "a.png: PNG: the file is too short for its image");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { decode_png_mask(png, "a.png"); }), png_error(png));
  EXPECT_THAT(png_error(plain_png(1'000'000, 1'000'000, 16, 6, "")), HasSubstr("too short"));
  std::string tiff = plain_tiff({.bits = 8, .format = 1}, std::string(4, '\7'));
  for (const char tag : {'\0', '\1'})  // 256, 257: width and height
    tiff.replace(tiff.find(std::string{tag, '\1', '\4', '\0'}) + 8, 4, std::string("\x30\x75\0\0", 4));
  EXPECT_EQ(error_of(ErrorKind::input, [&] { decode_rgb_tiff(tiff, "a.tif"); }),
            "a.tif: TIFF: the file is too short for its image");
}

TEST(HostileFiles, TextsInPngFilesAreNotUnpacked) {
  const std::string bomb = std::string("zTXtkey\0\0", 9) + packed_by_zlib(std::string(7'000'000, ' '));
  const std::string rows("\0\1\2\3", 4);
  const RgbImage image =
      decode_rgb_png(plain_png(1, 1, 8, 2, rows, std::vector<std::string>(900, bomb)), "a.png");  // 6.3 GB
  EXPECT_THAT(image.bytes, testing::ElementsAre(1, 2, 3));
}

TEST(HostileFiles, LargeImagesOfOneColourAreRead) {
  const std::string png = plain_png(2000, 2000, 8, 2, std::string(2000 * 6001, '\0'));
  EXPECT_LT(png.size(), 15'000U);
  EXPECT_EQ(decode_rgb_png(png, "a.png").bytes.size(), 12'000'000U);
}

// No copy of the colours beside the grey values, which are the largest piece of memory.
TEST(HostileFiles, LargeImagesTakeTheMemoryOfTheirGreyValues) {
  cv::theRNG().state = 9;
  for (const int type : {CV_8UC1, CV_8UC3, CV_16UC1, CV_16UC3})
    for (const char* const ending : {".png", ".tif"}) {
      cv::Mat pixels(1200, 1000, type);
      cv::randu(pixels, 0, CV_MAT_DEPTH(type) == CV_8U ? 256 : 65536);
      std::vector<unsigned char> encoded;
      ASSERT_TRUE(cv::imencode(ending, pixels, encoded));
      const std::string bytes(encoded.begin(), encoded.end());
      reset_largest_allocation();
      EXPECT_EQ(decode_grey(bytes, 1000, 1200, "a").values.size(), 1'200'000U);
      EXPECT_EQ(largest_allocation(), 4'800'000U) << type << ending;
    }
}

// Scans of no bytes, each of which takes the time of the whole image.
TEST(HostileFiles, ProgressiveImagesHaveTheScansThatProgramsWrite) {
  cv::Mat pixels(64, 64, CV_8UC1);
  cv::randu(pixels, 0, 256);
  std::vector<unsigned char> bytes;
  ASSERT_TRUE(cv::imencode(".jpg", pixels, bytes, {cv::IMWRITE_JPEG_PROGRESSIVE, 1}));
  const std::string whole(bytes.begin(), bytes.end());
  EXPECT_EQ(decode_rgb_jpeg(whole, "a.jpg").width, 64);
  const std::string last = whole.substr(whole.rfind("\xff\xda"), whole.size() - 2 - whole.rfind("\xff\xda"));
  std::string many = whole.substr(0, whole.size() - 2);
  for (int scan = 0; scan < 4000; ++scan) many += last;
  many += "\xff\xd9";
  EXPECT_THAT(find_jpeg_damage(many), testing::StartsWith("has too many scans: 101 and more of 64 x 64 px"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { decode_rgb_jpeg(many, "a.jpg"); }),
              HasSubstr("a.jpg: JPEG: has too many scans"));
}

// ---- Masks ----

TEST(PngMask, BlackAndTransparentPixelsDoNotCount) {
  using testing::ElementsAre;
  const auto mask = [](const std::string& png) { return decode_png_mask(png, "a.png"); };
  const std::string plte = std::string("PLTE\xff\0\0\0\xff\0\0\0\0", 13);  // red, green, black
  EXPECT_THAT(mask(plain_png(4, 1, 8, 0, std::string("\0\0\1\xff\0", 5))), ElementsAre(0, 1, 1, 0)) << "grey";
  EXPECT_THAT(mask(plain_png(2, 1, 16, 0, std::string("\0\0\1\0\0", 5))), ElementsAre(1, 0)) << "of 16 bits";
  EXPECT_THAT(mask(plain_png(3, 1, 8, 4, std::string("\0\xff\0\xff\xff\0\xff", 7))), ElementsAre(0, 1, 0))
      << "white, transparent at first";
  EXPECT_THAT(mask(plain_png(2, 1, 8, 6, std::string("\0\0\0\0\0\0\0\0\xff", 9))), ElementsAre(0, 1))
      << "black everywhere, with transparency alone";
  EXPECT_THAT(mask(plain_png(2, 1, 8, 6, std::string("\0\0\0\0\xff\0\0\0\xff", 9))), ElementsAre(0, 0))
      << "black and opaque everywhere";
  EXPECT_THAT(mask(plain_png(3, 1, 8, 3, std::string("\0\0\1\2", 4), {plte})), ElementsAre(1, 1, 0))
      << "a palette with black";
  EXPECT_THAT(mask(plain_png(3, 1, 8, 3, std::string("\0\0\1\1", 4), {plte})), ElementsAre(0, 1, 1))
      << "a palette without black: number 0";
  EXPECT_THAT(mask(plain_png(4, 1, 1, 3, std::string("\0\x50", 2), {plte})), ElementsAre(0, 1, 0, 1))
      << "of 1 bit";
  EXPECT_THAT(mask(plain_png(2, 1, 8, 3, std::string("\0\0\1", 3), {plte, std::string("tRNS\xff\0", 6)})),
              ElementsAre(1, 0))
      << "a transparent colour of a palette";
  EXPECT_THAT(mask(plain_png(2, 1, 8, 0, std::string("\0\7\x9", 3), {std::string("tRNS\0\x9", 6)})),
              ElementsAre(1, 0))
      << "a transparent grey";
}

}  // namespace
}  // namespace aqbench
