#include "core/parallel_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

using Numbered = std::pair<int, int>;

std::vector<Numbered> random_pairs(std::size_t count, int most) {
  std::mt19937 random(7);
  std::vector<Numbered> pairs;
  for (std::size_t i = 0; i < count; ++i)
    pairs.emplace_back(static_cast<int>(random() % static_cast<unsigned>(most)), static_cast<int>(i));
  return pairs;
}

TEST(ParallelSort, SortsAsStdSortDoes) {
  for (const std::size_t count : {0, 1, 2, 15, 16, 17, 1000, 100'003}) {
    std::vector<Numbered> sorted = random_pairs(count, 50'000), expected = sorted;
    std::sort(expected.begin(), expected.end());
    parallel_sort(sorted.begin(), sorted.end(), std::less<>());
    EXPECT_EQ(sorted, expected) << count;
  }
}

TEST(ParallelSort, PutsEqualElementsInTheSameOrderForAnyThreadCount) {
  const auto [one, three] = on_threads<1, 3>([] {
    std::vector<Numbered> pairs = random_pairs(50'000, 10);
    parallel_sort(pairs.begin(), pairs.end(),
                  [](const Numbered& a, const Numbered& b) { return a.first < b.first; });
    return pairs;
  });
  EXPECT_TRUE(std::ranges::is_sorted(one, {}, &Numbered::first));
  EXPECT_EQ(one, three);
}

}  // namespace
}  // namespace aqbench
