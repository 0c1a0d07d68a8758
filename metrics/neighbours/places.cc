#include "metrics/neighbours/places.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace aqbench {

std::vector<Vec3> first_at_each_place(std::span<const Vec3> points_m) {
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    for (int axis = 0; axis < 3; ++axis)
      if (points_m[a][axis] != points_m[b][axis]) return points_m[a][axis] < points_m[b][axis] ? -1 : 1;
    return 0;
  };
  std::vector<std::uint32_t> order(points_m.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int sign = compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  std::vector<bool> is_first(points_m.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    is_first[order[i]] = i == 0 || compare(order[i - 1], order[i]) != 0;
  std::vector<Vec3> places_m;
  for (std::size_t i = 0; i < points_m.size(); ++i)
    if (is_first[i]) places_m.push_back(points_m[i]);
  return places_m;
}

}  // namespace aqbench
