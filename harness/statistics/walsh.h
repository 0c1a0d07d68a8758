#pragma once
// Walsh averages: (x_i + x_j) / 2 for all i <= j, n (n + 1) / 2 of them.

#include <cstdint>
#include <span>

namespace aqbench {

// The rank-th smallest Walsh average (from 1) of `sorted`, which is ascending, finite and not empty.
// 1 <= rank <= n (n + 1) / 2. The averages are never listed: the answer is found by bisection over the
// doubles, each step counting in O(n), so it is exact and takes O(64 n).
double walsh_average(std::span<const double> sorted, std::uint64_t rank);

// The middle Walsh average, or the mean of the two middle ones: the Hodges-Lehmann estimate.
double median_walsh_average(std::span<const double> sorted);

}  // namespace aqbench
