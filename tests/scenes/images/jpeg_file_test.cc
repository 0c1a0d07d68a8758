#include "scenes/images/jpeg_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <new>

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

}  // namespace
}  // namespace aqbench
