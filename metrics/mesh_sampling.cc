#include "metrics/mesh_sampling.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "core/random.h"

namespace aqbench {
namespace {

using Polygon = std::vector<Vec3>;  // convex, in one plane

// Keeps the part with sign * (coordinate - limit) >= 0 (Sutherland and Hodgman, CACM 1974, for one side).
Polygon keep_side(const Polygon& polygon, int axis, double limit, double sign) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3& a = polygon[i];
    const Vec3& b = polygon[(i + 1) % polygon.size()];
    const double inside_a = sign * (a[axis] - limit), inside_b = sign * (b[axis] - limit);
    if (inside_a >= 0) kept.push_back(a);
    if ((inside_a > 0 && inside_b < 0) || (inside_a < 0 && inside_b > 0)) {
      Vec3 crossing = a + (b - a) * (inside_a / (inside_a - inside_b));
      crossing[axis] = limit;
      kept.push_back(crossing);
    }
  }
  return kept;
}

Vec3 area_vector(const std::array<Vec3, 3>& corners) {
  return 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]);
}

}  // namespace

TriangleSoup cut_to_patch(std::span<const Vec3> vertices_m, std::span<const Triangle> triangles,
                          const Patch* patch) {
  TriangleSoup soup;
  double area_m2 = 0;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double part_m2 = area_vector({a, b, c}).norm();
    if (!(part_m2 > 0)) return;
    area_m2 += part_m2;
    soup.triangles_m.push_back({a, b, c});
    soup.area_up_to_m2.push_back(area_m2);
  };
  const auto inside = [&](const Vec3& corner) {
    return patch == nullptr || patch->contains(corner.x(), corner.y());
  };
  for (const auto& [a, b, c] : triangles) {
    const std::array<Vec3, 3> corners = {vertices_m[a], vertices_m[b], vertices_m[c]};
    if (std::ranges::all_of(corners, inside)) {
      add(corners[0], corners[1], corners[2]);
      continue;
    }
    Polygon polygon(corners.begin(), corners.end());
    polygon = keep_side(polygon, 0, patch->x_min_m, 1);
    polygon = keep_side(polygon, 0, patch->x_max_m, -1);
    polygon = keep_side(polygon, 1, patch->y_min_m, 1);
    polygon = keep_side(polygon, 1, patch->y_max_m, -1);
    for (std::size_t i = 2; i < polygon.size(); ++i) add(polygon[0], polygon[i - 1], polygon[i]);
  }
  return soup;
}

std::vector<SoupSample> sample_by_area(const TriangleSoup& soup, std::size_t count, std::uint64_t seed) {
  const RandomKey key{seed, RandomStream::mesh_sampling};
  std::vector<SoupSample> samples(count);
  parallel_for(count, 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double place_m2 =
          soup.area_m2() * ((static_cast<double>(i) + uniform01(key, i)) / static_cast<double>(count));
      const auto found = std::ranges::upper_bound(soup.area_up_to_m2, place_m2);
      const auto triangle =
          std::min(static_cast<std::size_t>(found - soup.area_up_to_m2.begin()), soup.triangles_m.size() - 1);
      const std::array<Vec3, 3>& corners = soup.triangles_m[triangle];
      // Uniform on a triangle: Osada et al., "Shape distributions", ACM TOG 2002, section 4.2.
      const auto [u, v] = uniform01_pair(key, i, 1);
      const double root = std::sqrt(u);
      samples[i] = {(1 - root) * corners[0] + root * (1 - v) * corners[1] + root * v * corners[2],
                    area_vector(corners).normalized()};
    }
  });
  return samples;
}

}  // namespace aqbench
