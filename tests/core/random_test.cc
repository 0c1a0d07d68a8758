#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aqbench {
namespace {

// Known answers of Random123's kat_vectors for philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, NormalMomentsWithinFourStandardErrors) {
  const RandomKey key{7, RandomStream::point_noise};
  const int pairs = 200000;
  double sum = 0, square = 0, cross = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto [a, b] = normal_pair(key, static_cast<std::uint64_t>(i));
    sum += a + b;
    square += a * a + b * b;
    cross += a * b;
  }
  const double n = 2.0 * pairs;
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1, 4 * std::sqrt(2 / n));
  EXPECT_NEAR(cross / pairs, 0, 4 / std::sqrt(pairs));
}

TEST(Random, StreamsSeedsIndicesAndSlotsDiffer) {
  const double base = uniform01({1, RandomStream::dropout}, 5, 0);
  EXPECT_EQ(base, uniform01({1, RandomStream::dropout}, 5, 0));
  EXPECT_NE(base, uniform01({2, RandomStream::dropout}, 5, 0));
  EXPECT_NE(base, uniform01({1, RandomStream::point_noise}, 5, 0));
  EXPECT_NE(base, uniform01({1, RandomStream::dropout}, 6, 0));
  EXPECT_NE(base, uniform01({1, RandomStream::dropout}, 5, 1));
}

}  // namespace
}  // namespace aqbench
