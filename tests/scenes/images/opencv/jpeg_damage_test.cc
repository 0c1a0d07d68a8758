#include "scenes/images/opencv/jpeg_damage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

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

TEST(JpegDamage, WhatEndsTheDecoderIsSaidToo) {
  EXPECT_NE(find_jpeg_damage("\xff\xd8\xff no more"), "");
  EXPECT_NE(find_jpeg_damage(""), "");
}

}  // namespace
}  // namespace aqbench
