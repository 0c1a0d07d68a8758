#pragma once
// Items brought into the order of their groups by parallel_for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/parallel.h"

namespace aqbench {

// Numbers `count` items by their groups, within a group in their own order, and calls put(i, place) once for
// each: from several threads, with a different place each. group_of(i) is less than `groups`. Returns the
// first place of each group and, at the end, the count, which is less than 2^32.
template <class GroupOf, class Put>
std::vector<std::uint32_t> group_in_order(std::size_t count, std::size_t groups, const GroupOf& group_of,
                                          const Put& put) {
  constexpr std::size_t kFewItems = 1 << 16;  // not worth a thread
  const std::size_t shares =
      std::min(static_cast<std::size_t>(thread_count()), count / std::max(kFewItems, groups) + 1);
  const std::size_t grain = count / shares + 1;
  std::vector<std::vector<std::uint32_t>> next(shares, std::vector<std::uint32_t>(groups));
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t>& counts = next[begin / grain];
    for (std::size_t i = begin; i < end; ++i) ++counts[group_of(i)];
  });
  std::vector<std::uint32_t> first(groups + 1);
  std::uint32_t place = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    first[group] = place;
    for (std::vector<std::uint32_t>& of_share : next) place += std::exchange(of_share[group], place);
  }
  first[groups] = place;
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t>& places = next[begin / grain];
    for (std::size_t i = begin; i < end; ++i) put(i, places[group_of(i)]++);
  });
  return first;
}

}  // namespace aqbench
