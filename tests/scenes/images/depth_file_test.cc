#include "scenes/images/depth_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/error_matcher.h"
#include "tests/scenes/images/small_png.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_THAT(image.values, ElementsAre(16, 65535));
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
  EXPECT_THAT(image.values, ElementsAre(1, 256, 1000, 65535));
  EXPECT_TRUE(image.counts);
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

}  // namespace
}  // namespace aqbench
