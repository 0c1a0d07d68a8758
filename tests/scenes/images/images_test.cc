#include "scenes/images/images.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace
}  // namespace aqbench
