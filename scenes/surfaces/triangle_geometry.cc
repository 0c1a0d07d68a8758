#include "scenes/surfaces/triangle_tree.h"

namespace aqbench {

TrianglePoint closest_on_triangle(const Vec3& p, const std::array<Vec3, 3>& corners) {
  const auto& [a, b, c] = corners;
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {a, TrianglePart::corner_a};
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {b, TrianglePart::corner_b};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + d1 / (d1 - d3) * ab, TrianglePart::edge_ab};
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {c, TrianglePart::corner_c};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + d2 / (d2 - d6) * ac, TrianglePart::edge_ca};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6)
    return {b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), TrianglePart::edge_bc};
  const double sum = va + vb + vc;
  return {a + vb / sum * ab + vc / sum * ac, TrianglePart::face};
}

Vec3 point_along_triangle(const std::array<Vec3, 3>& corners, double t) {
  // The curve runs from the first to the second corner; these begin as the ends of the longest edge.
  auto [a, b, apex] = corners;
  const double ab = (b - a).squaredNorm(), bc = (apex - b).squaredNorm(), ca = (a - apex).squaredNorm();
  if (bc >= ab && bc >= ca) {
    std::swap(a, apex);  // (c, b, a)
  } else if (ca >= ab && ca >= bc) {
    std::swap(b, apex);  // (a, c, b)
  }
  for (int level = 0; level < 50; ++level) {
    const Vec3 middle = 0.5 * (a + b);
    t *= 2;
    if (t < 1) {
      b = apex;
    } else {
      a = apex;
      t -= 1;
    }
    apex = middle;
  }
  return (a + b + apex) / 3;
}

}  // namespace aqbench
