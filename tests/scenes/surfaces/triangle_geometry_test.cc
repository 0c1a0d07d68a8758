#include "scenes/surfaces/triangle_geometry.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace aqbench {
namespace {

TEST(ClosestOnTriangle, EqualsADenseSearch) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto vertex = [&] { return Vec3(u(random), u(random), u(random)); };
    const std::array<Vec3, 3> corners{vertex(), vertex(), vertex()};
    const Vec3 p = 2 * vertex();
    const Vec3 closest = closest_on_triangle(p, corners).position_m;
    double best = 1e9;
    constexpr int kSteps = 200;
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; i + j <= kSteps; ++j) {
        const Vec3 at =
            corners[0] + (corners[1] - corners[0]) * i / kSteps + (corners[2] - corners[0]) * j / kSteps;
        best = std::min(best, (at - p).norm());
      }
    }
    EXPECT_LE((closest - p).norm(), best + 1e-12);
    EXPECT_GE((closest - p).norm(), best - 0.03);
    // On the triangle: the three small areas add up to the whole.
    const auto area = [](const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a).norm(); };
    const double whole = area(corners[0], corners[1], corners[2]);
    EXPECT_NEAR(area(closest, corners[0], corners[1]) + area(closest, corners[1], corners[2]) +
                    area(closest, corners[2], corners[0]),
                whole, 1e-6 * whole);
  }
}

TEST(ClosestOnTriangle, TellsThePart) {
  const std::array<Vec3, 3> corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  const auto part = [&](double x, double y) { return closest_on_triangle({x, y, 1}, corners).part; };
  EXPECT_EQ(part(0.2, 0.2), TrianglePart::face);
  EXPECT_EQ(part(0.5, -1), TrianglePart::edge_ab);
  EXPECT_EQ(part(1, 1), TrianglePart::edge_bc);
  EXPECT_EQ(part(-1, 0.5), TrianglePart::edge_ca);
  EXPECT_EQ(part(-1, -1), TrianglePart::corner_a);
  EXPECT_EQ(part(3, 0), TrianglePart::corner_b);
  EXPECT_EQ(part(0, 3), TrianglePart::corner_c);
}

TEST(PointAlongTriangle, IsUniformAndContinuous) {
  const std::array<Vec3, 3> corners{Vec3(0, 0, 0), Vec3(3, 1, 0), Vec3(1, 2, 0)};
  const Vec3 ab = corners[1] - corners[0], ac = corners[2] - corners[0];
  const double determinant = ab.x() * ac.y() - ab.y() * ac.x();
  constexpr int kCount = 1 << 14;
  std::array<int, 4> quarter{};
  Vec3 mean = Vec3::Zero(), last = Vec3::Zero();
  double longest = 0;
  for (int i = 0; i < kCount; ++i) {
    const Vec3 p = point_along_triangle(corners, (i + 0.5) / kCount);
    mean += p / kCount;
    const double u = (p.x() * ac.y() - p.y() * ac.x()) / determinant;
    const double v = (ab.x() * p.y() - ab.y() * p.x()) / determinant;
    ASSERT_GE(u, -1e-12);
    ASSERT_GE(v, -1e-12);
    ASSERT_LE(u + v, 1 + 1e-12);
    // The four halves-of-edges triangles have a quarter of the area each.
    ++quarter[u > 0.5 ? 0 : v > 0.5 ? 1 : u + v < 0.5 ? 2 : 3];
    if (i > 0) longest = std::max(longest, (p - last).norm());
    last = p;
  }
  EXPECT_LT((mean - (corners[0] + corners[1] + corners[2]) / 3).norm(), 1e-3);
  for (const int count : quarter) EXPECT_NEAR(count, kCount / 4.0, 0.01 * kCount);
  EXPECT_LT(longest, 6 * std::sqrt(0.5 * determinant / kCount));
}

}  // namespace
}  // namespace aqbench
