#include "core/morton.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

// Bit b of x, y and z is bit 3 b, 3 b + 1 and 3 b + 2 of the code.
TEST(Morton, InterleavesTheBitsOfThreeCoordinates) {
  for (int bit = 0; bit < 21; ++bit) {
    const std::uint32_t one = 1U << bit;
    EXPECT_EQ(morton_encode(one, 0, 0), std::uint64_t{1} << 3 * bit);
    EXPECT_EQ(morton_encode(0, one, 0), std::uint64_t{2} << 3 * bit);
    EXPECT_EQ(morton_encode(0, 0, one), std::uint64_t{4} << 3 * bit);
  }
  EXPECT_EQ(morton_encode(0x1fffff, 0x1fffff, 0x1fffff), (std::uint64_t{1} << 63) - 1);
  for (const std::array<std::uint32_t, 3>& place :
       {std::array<std::uint32_t, 3>{5, 3, 9}, {0x1fffff, 1, 0x155555}, {0x123456, 0x0fedcb, 7}})
    EXPECT_EQ(morton_decode(morton_encode(place[0], place[1], place[2])), place);
}

}  // namespace
}  // namespace aqbench
