#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/parallel.h"

namespace aqbench {

// Sorts in place by parallel_for: halves the range four times around its middle element, then sorts the
// parts. Equal elements come in an order that is the same for any thread count.
template <class Iterator, class Less>
void parallel_sort(Iterator begin, Iterator end, const Less& less) {
  constexpr int kHalvings = 4;
  std::vector<Iterator> cuts = {begin, end};
  for (int halving = 0; halving < kHalvings; ++halving) {
    std::vector<Iterator> finer(2 * cuts.size() - 1, end);
    parallel_for(cuts.size() - 1, 1, [&](std::size_t part, std::size_t) {
      const Iterator middle = cuts[part] + (cuts[part + 1] - cuts[part]) / 2;
      std::nth_element(cuts[part], middle, cuts[part + 1], less);
      finer[2 * part] = cuts[part];
      finer[2 * part + 1] = middle;
    });
    cuts = std::move(finer);
  }
  parallel_for(cuts.size() - 1, 1,
               [&](std::size_t part, std::size_t) { std::sort(cuts[part], cuts[part + 1], less); });
}

}  // namespace aqbench
