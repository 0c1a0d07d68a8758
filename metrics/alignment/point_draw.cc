#include "metrics/alignment/point_draw.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "metrics/neighbours/measurable.h"

namespace aqbench {
namespace {

// A number that the coordinates decide and that looks random (Vigna's splitmix64).
std::uint64_t mix_bits(const Vec3& point) {
  std::uint64_t state = 0;
  for (const double value : {point.x(), point.y(), point.z()}) {
    state += std::bit_cast<std::uint64_t>(value + 0.0) + 0x9e3779b97f4a7c15;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111eb;
    state ^= state >> 31U;
  }
  return state;
}

}  // namespace

std::vector<Vec3> draw_points(std::span<const Vec3> points_m, std::size_t at_most) {
  std::vector<std::pair<std::uint64_t, Vec3>> drawn;
  for (const Vec3& point : points_m)
    if (is_measurable(point)) drawn.emplace_back(mix_bits(point), point);
  const auto before = [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(), b.second.end());
  };
  if (drawn.size() > at_most) {
    std::ranges::nth_element(drawn, drawn.begin() + static_cast<std::ptrdiff_t>(at_most), before);
    drawn.resize(at_most);
  }
  std::ranges::sort(drawn, before);
  std::vector<Vec3> taken_m;
  for (const auto& [number, point] : drawn) taken_m.push_back(point);
  return taken_m;
}

}  // namespace aqbench
