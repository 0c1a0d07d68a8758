#include "scenes/images/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/images/image_file.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/images/plain_depth_files.h"
#include "tests/scenes/images/small_png.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

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

class DepthFile : public testing::Test {
 protected:
  DepthImage read(std::string_view name, const std::string& bytes) const {
    return read_depth_image(directory_.file(name, bytes));
  }
  std::string error(std::string_view name, const std::string& bytes) const {
    const auto path = directory_.file(name, bytes);
    return error_of(ErrorKind::input, [&] { read_depth_image(path); });
  }
  TemporaryDirectory directory_;
};

std::string floats(std::initializer_list<float> values, bool swap = false) {
  std::string bytes;
  for (const float value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    bytes += swap ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

std::string npy(const std::string& order, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '<f4', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

// All are the image (1 2 3; 4 5 6).
TEST_F(DepthFile, IntegersOfNumpyAreCounts) {
  std::string bytes = npy("False", "1, 2", std::string("\x10\0\xff\xff", 4));
  bytes.replace(bytes.find("<f4"), 3, "<u2");
  const DepthImage image = read("counts.npy", bytes);
  EXPECT_TRUE(image.counts);
  EXPECT_THAT(image.values, ElementsAre(16, IsNan()));
  EXPECT_EQ(image.far_values, 1U);
  EXPECT_FALSE(read("lengths.npy", npy("False", "1, 2", floats({1, 2}))).counts);
}

TEST_F(DepthFile, TheSameImageInEveryFormat) {
  const auto rows = floats({1, 2, 3, 4, 5, 6});
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"c.npy", npy("False", "2, 3", rows)},
                                    {"c1.npy", npy("False", "2, 3, 1", rows)},
                                    {"f.npy", npy("True", "2, 3", floats({1, 4, 2, 5, 3, 6}))},
                                    {"f1.npy", npy("True", "2, 3, 1", floats({1, 4, 2, 5, 3, 6}))},
                                    {"little.pfm", "Pf\n3 2\n-1.0\n" + floats({4, 5, 6, 1, 2, 3})},
                                    {"big.pfm", "Pf\n3 2\n1.0\n" + floats({4, 5, 6, 1, 2, 3}, true)},
                                    {"colmap.bin", "3&2&1&" + rows}}) {
    const DepthImage image = read(name, bytes);
    EXPECT_EQ(image.width, 3) << name;
    EXPECT_EQ(image.height, 2) << name;
    EXPECT_THAT(image.values, ElementsAre(1, 2, 3, 4, 5, 6)) << name;
    EXPECT_FALSE(image.counts) << name;
  }
}

TEST_F(DepthFile, PngHoldsCounts) {
  const DepthImage image = read("a.png", small_png());
  EXPECT_THAT(image.values, ElementsAre(1, 256, 1000, IsNan()));
  EXPECT_TRUE(image.counts);
}

// What renderers and sensors write where there is nothing; 65504 is the largest number of 16 bits that is
// real.
TEST_F(DepthFile, WhatStandsForNothingIsMissingAndCounted) {
  struct Case {
    std::vector<float> values;
    std::size_t far;  // of them, at the end
  };
  for (const Case& one :
       {Case{{1, 2, 1e10F, 1e10F}, 2}, Case{{1, 2, 3, 1e10F}, 1}, Case{{1, 2, 1.1e10F, 1.2e10F}, 2},
        Case{{1, 2, 3, 65504}, 1}, Case{{65504, 65504, 65504, 65504}, 4}, Case{{1, 2, 3, 65535}, 1},
        Case{{1, 2, 3e38F, 1e9F}, 2}, Case{{1, 2, 65504, 1e10F}, 2}, Case{{1, 2, 100, 100}, 2},
        Case{{1, 2, 20.5F, 20.5F}, 2},
        // Not a constant, not far beyond the rest, nothing beside it, two surfaces.
        Case{{1, 2, 3, 100}, 0}, Case{{1, 2, 19, 19}, 0}, Case{{9, 9, 9, 9}, 0},
        Case{{1, 2, 65504, 65600}, 0}, Case{{0, -1, 5, 5}, 0}}) {
    std::string rows;
    for (const float value : one.values) rows += floats({value});
    const DepthImage image = read("a.npy", npy("False", "1, 4", rows));
    EXPECT_EQ(image.far_values, one.far) << testing::PrintToString(one.values);
    for (std::size_t i = 0; i < 4; ++i)
      if (i < 4 - one.far)
        EXPECT_EQ(image.values[i], one.values[i]) << testing::PrintToString(one.values);
      else
        EXPECT_TRUE(std::isnan(image.values[i])) << testing::PrintToString(one.values);
  }
  std::string counts = npy("False", "1, 3", std::string("\x10\0\xe0\xff\xe0\xff", 6));  // 16, 65504 twice
  counts.replace(counts.find("<f4"), 3, "<u2");
  EXPECT_EQ(read("counts.npy", counts).far_values, 2U) << "more than ten times the rest";
  counts.replace(counts.size() - 6, 2, "\xdf\xff");
  EXPECT_EQ(read("counts.npy", counts).far_values, 0U) << "a count like others";
}

TEST_F(DepthFile, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(error("a.npy", npy("False", "2, 3, 2", floats({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))),
              HasSubstr("shape (2, 3, 2) is not rows x columns"));
  EXPECT_THAT(error("a.pfm", "PF\n1 1\n-1\n" + floats({1, 2, 3})), HasSubstr("three channels"));
  EXPECT_THAT(error("a.pfm", "Pf\n2 1\n-1\n" + floats({1})), HasSubstr("4 bytes of data do not hold 2 x 1"));
  EXPECT_THAT(error("a.bin", "1&1&3&" + floats({1, 2, 3})), HasSubstr("a depth map has one channel, not 3"));
  EXPECT_THAT(error("a.png", small_png().substr(0, 60)), HasSubstr("a.png: is truncated"));
  EXPECT_THAT(error("a.exr", "v/1"), HasSubstr("not a supported depth map"));
}

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
  return error_of(ErrorKind::input, [&] { read_exr_depths(bytes, "a.exr"); });
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
  const DepthImage halves = read_exr_depths(exr_of(image, cv::IMWRITE_EXR_TYPE_HALF), "h.exr");
  EXPECT_EQ(halves.values, depths.values);  // eighths below 16 have eleven bits at most
}

// A file of these channels, in their order, of which the numbered ones are 1 2; 3 4 and the others 9.
std::string exr_with(const std::vector<std::string>& names, const std::set<std::size_t>& depths) {
  std::string channels, first, second;
  for (std::size_t i = 0; i < names.size(); ++i) {
    channels += exr_channel(names[i], kFloat);
    first += depths.contains(i) ? two(1, 2) : two(9, 9);
    second += depths.contains(i) ? two(3, 4) : two(9, 9);
  }
  return plain_exr(channels, {first, second});
}

TEST(ExrDepths, AreInTheChannelThatIsCalledSo) {
  struct Case {
    std::vector<std::string> names;  // in the order of the alphabet, as files have them
    std::set<std::size_t> depths;
    std::string read;
  };
  for (const Case& one :
       {Case{{"any"}, {0}, "any"}, Case{{"Y"}, {0}, "Y"}, Case{{"A", "B", "G", "R", "Z"}, {4}, "Z"},
        Case{{"A", "View.Depth.Z"}, {1}, "View.Depth.Z"}, Case{{"Depth.V"}, {0}, "Depth.V"},
        Case{{"ViewLayer.Depth.Z", "ViewLayer.Normal.X", "ViewLayer.Normal.Y", "ViewLayer.Normal.Z"},
             {0},
             "ViewLayer.Depth.Z"},
        Case{{"Depth.Z", "Normal.Z", "P.Z"}, {0}, "Depth.Z"},
        Case{{"A", "N.X", "N.Y", "N.Z", "depth"}, {4}, "depth"}, Case{{"B", "G", "R"}, {0, 1, 2}, "R, G, B"},
        Case{{"A", "Depth.B", "Depth.G", "Depth.R"}, {1, 2, 3}, "Depth.R, Depth.G, Depth.B"}}) {
    const DepthImage image = read_exr_depths(exr_with(one.names, one.depths), "a");
    EXPECT_THAT(image.values, ElementsAre(1, 2, 3, 4)) << one.read;
    EXPECT_EQ(image.channel, one.read);
  }
  for (const auto& names :
       std::vector<std::vector<std::string>>{{"N.Z"},
                                             {"P.Z"},
                                             {"Normal.Z"},
                                             {"X", "Y", "Z"},
                                             {"N.X", "N.Y", "N.Z"},
                                             {"H", "S", "V"},
                                             {"U", "V", "Y"},
                                             {"BY", "RY", "Y"},
                                             {"A", "N.Z"},
                                             {"Mist.Z", "P.Z"},
                                             {"V", "Z"},
                                             {"A"},
                                             {"X"},
                                             {"Depth.X", "Depth.Y", "Depth.Z"},
                                             {"left.B", "left.G", "left.R", "right.B", "right.G", "right.R"}})
    EXPECT_THAT(exr_error(exr_with(names, {0})), HasSubstr("unknown depth channel")) << names[0];
  EXPECT_EQ(exr_error(exr_with({"B", "G", "R"}, {0, 1})),
            "a.exr: EXR: B, G, R differ: colours are no depths");
}

// Headers that promise 2^28 values.
TEST(ExrDepths, AFileThatIsTooShortForItsImageIsRefusedAtOnce) {
  std::string huge = plain_exr(exr_channel("Z", kFloat), {two(1, 2), two(3, 4)});
  const std::string small = exr_bytes(std::int32_t{1}) + exr_bytes(std::int32_t{1}),
                    large = exr_bytes(std::int32_t{16383}) + exr_bytes(std::int32_t{16383});
  for (std::size_t i = 0, at = 0; i < 2; ++i) huge.replace(at = huge.find(small, at), 8, large);
  EXPECT_THAT(exr_error(huge), HasSubstr("a.exr: EXR: "));
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
