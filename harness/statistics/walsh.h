#pragma once
// Walsh averages: (x_i + x_j) / 2 for all i <= j, n (n + 1) / 2 of them.

#include <cstdint>
#include <span>

namespace aqbench {

// Returns the rank-th smallest Walsh average of `sorted`, which is ascending, finite and not empty.
// 1 <= rank <= n (n + 1) / 2. The averages are never listed: bisection over the doubles, with a count in O(n)
// at each step, finds the exact answer in O(64 n).
double walsh_average(std::span<const double> sorted, std::uint64_t rank);

// Returns the middle Walsh average, or the mean of the two middle ones: the Hodges-Lehmann estimate.
double median_walsh_average(std::span<const double> sorted);

}  // namespace aqbench
