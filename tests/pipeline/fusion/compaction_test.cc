#include "pipeline/fusion/compaction.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace aqbench {
namespace {

TEST(KeepPositive, KeepsRowsInTheirOrder) {
  std::mt19937 generator(3);
  for (std::size_t count = 0; count < 70; ++count)
    for (const double share : {0.0, 0.3, 1.0}) {
      std::vector<float> columns[4], kept[4];
      for (std::size_t i = 0; i < count; ++i) {
        const bool stays = std::uniform_real_distribution<double>(0, 1)(generator) < share;
        const float weight = stays ? 1.0F + static_cast<float>(i) : i % 3 == 0 ? std::nanf("") : -0.0F;
        const float row[4] = {static_cast<float>(i), static_cast<float>(100 + i), static_cast<float>(200 + i),
                              weight};
        for (std::size_t c = 0; c < 4; ++c) {
          columns[c].push_back(row[c]);
          if (stays) kept[c].push_back(row[c]);
        }
      }
      ASSERT_EQ(
          keep_positive(columns[0].data(), columns[1].data(), columns[2].data(), columns[3].data(), count),
          kept[0].size());
      for (std::size_t c = 0; c < 4; ++c) {
        columns[c].resize(kept[c].size());
        EXPECT_EQ(columns[c], kept[c]);
      }
    }
}

TEST(KeysUpTo, HoldValuesAndIndicesBelowTheLimit) {
  std::mt19937 generator(4);
  for (std::size_t count = 0; count < 70; ++count) {
    std::vector<float> values;
    std::vector<std::uint32_t> index;
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(0.125F * static_cast<float>(generator() % 9));
      index.push_back(static_cast<std::uint32_t>(4'000'000'000U + 3 * i));
      if (values[i] <= 0.5F && i != 5)
        expected.push_back(std::uint64_t{std::bit_cast<std::uint32_t>(values[i])} << 32U | index[i]);
    }
    std::vector<std::uint64_t> keys(count + 8);
    keys.resize(keys_up_to(0.5F, 4'000'000'015U, values.data(), index.data(), count, keys.data()));
    EXPECT_EQ(keys, expected);
  }
}

}  // namespace
}  // namespace aqbench
