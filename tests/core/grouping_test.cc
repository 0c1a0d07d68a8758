#include "core/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

// The items in the order of their places, and where each group begins.
struct Grouped {
  std::vector<std::size_t> items;
  std::vector<std::uint32_t> first;
  bool operator==(const Grouped&) const = default;
};

Grouped grouped(const std::vector<std::size_t>& group_of, std::size_t groups) {
  Grouped result{std::vector<std::size_t>(group_of.size(), group_of.size()), {}};
  result.first = group_in_order(
      group_of.size(), groups, [&](std::size_t i) { return group_of[i]; },
      [&](std::size_t i, std::uint32_t place) { result.items[place] = i; });
  return result;
}

TEST(GroupInOrder, IsAStableSortForAnyThreadCount) {
  for (const std::size_t groups : {1U, 7U, 1000U}) {
    std::vector<std::size_t> group_of(300000), sorted(group_of.size());
    for (std::size_t i = 0; i < group_of.size(); ++i) group_of[i] = i * i % 65521 % groups;
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::stable_sort(sorted, {}, [&](std::size_t i) { return group_of[i]; });
    for (const Grouped& found : on_threads<1, 2, 5>([&] { return grouped(group_of, groups); })) {
      EXPECT_EQ(found.items, sorted);
      ASSERT_EQ(found.first.size(), groups + 1);
      EXPECT_EQ(found.first[groups], group_of.size());
      for (std::size_t g = 0; g < groups; ++g)
        EXPECT_EQ(found.first[g + 1] - found.first[g], std::ranges::count(group_of, g)) << g;
    }
  }
}

TEST(GroupInOrder, LeavesGroupsEmpty) {
  EXPECT_EQ(grouped({}, 2), (Grouped{{}, {0, 0, 0}}));
  EXPECT_EQ(grouped({3, 3}, 5), (Grouped{{0, 1}, {0, 0, 0, 0, 2, 2}}));
}

}  // namespace
}  // namespace aqbench
