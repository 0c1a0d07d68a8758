#include "metrics/protocols/thinning.h"

#include <algorithm>
#include <utility>

#include "core/random.h"
#include "metrics/protocols/voxels.h"

namespace aqbench {
namespace {

// A stream of random numbers of its own (core/random.h).
constexpr auto kThinningStream = static_cast<RandomStream>(31);

// The numbers 0 to count - 1 in a random order.
std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::pair<double, std::uint32_t>> keys(count);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = {uniform01({seed, kThinningStream}, i), i};
  std::ranges::sort(keys);
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = keys[i].second;
  return order;
}

}  // namespace

std::vector<Vec3> thin_points(std::vector<Vec3> points_m, double radius_m, std::uint64_t seed) {
  std::ranges::sort(points_m, [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  });
  const VoxelIndex index(points_m, radius_m);
  std::vector<char> kept(points_m.size(), 1);
  for (const std::uint32_t i : random_order(points_m.size(), seed)) {
    if (kept[i] == 0) continue;
    index.for_each_near(points_m[i], [&](std::uint32_t other) {
      if (other != i && (points_m[other] - points_m[i]).squaredNorm() <= radius_m * radius_m) kept[other] = 0;
    });
  }
  std::vector<Vec3> thinned;
  for (std::size_t i = 0; i < points_m.size(); ++i)
    if (kept[i] != 0) thinned.push_back(points_m[i]);
  return thinned;
}

}  // namespace aqbench
