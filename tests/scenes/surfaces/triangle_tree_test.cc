#include "scenes/surfaces/triangle_tree.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
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

struct Soup {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;

  double squared(std::size_t triangle, const Vec3& point) const {
    const auto& t = triangles[triangle];
    return (closest_on_triangle(point, {vertices[t[0]], vertices[t[1]], vertices[t[2]]}).position_m - point)
        .squaredNorm();
  }
};

// Triangles of sizes from 1e-6 to 1, slivers among them.
Soup random_soup(std::size_t count, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> place(-1, 1), exponent(-6, 0);
  Soup soup;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::pow(10, exponent(generator)), thin = i % 5 == 0 ? 1e-4 : 1;
    const Vec3 centre(place(generator), place(generator), place(generator));
    const auto first = static_cast<std::uint32_t>(soup.vertices.size());
    soup.triangles.push_back({first, first + 1, first + 2});
    soup.vertices.push_back(centre);
    soup.vertices.push_back(centre + size * Vec3(place(generator), place(generator), place(generator)));
    soup.vertices.push_back(soup.vertices.back() +
                            thin * size * Vec3(place(generator), place(generator), place(generator)));
  }
  return soup;
}

TEST(TriangleTree, FindsTheClosestOfAll) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> place(-1.5, 1.5);
  for (const std::size_t count : {1U, 7U, 8U, 9U, 128U, 129U, 2000U}) {
    const Soup soup = random_soup(count, generator);
    const TriangleTree tree(soup.vertices, soup.triangles);
    std::vector<Vec3> points;
    for (int i = 0; i < 150; ++i) points.emplace_back(place(generator), place(generator), place(generator));
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 50); ++i)
      points.push_back(soup.vertices[3 * i + 1]);
    std::vector<std::uint32_t> found(points.size());
    tree.closest(points, found);
    for (std::size_t q = 0; q < points.size(); ++q) {
      double least = soup.squared(0, points[q]);
      for (std::size_t t = 1; t < count; ++t) least = std::min(least, soup.squared(t, points[q]));
      EXPECT_LE(std::sqrt(soup.squared(found[q], points[q])), std::sqrt(least) * (1 + 1e-9) + 1e-12) << count;
    }
  }
}

// Points that lie together are searched for in groups: each finds what it finds alone, and what all triangles
// say.
TEST(TriangleTree, PointsThatLieTogetherFindWhatEachFindsAlone) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> place(0, 1);
  std::normal_distribution<double> noise(0, 0.02);
  Soup waves;
  constexpr std::uint32_t kSide = 40;
  for (std::uint32_t j = 0; j <= kSide; ++j)
    for (std::uint32_t i = 0; i <= kSide; ++i)
      waves.vertices.emplace_back(i / 40.0, j / 40.0, 0.1 * std::sin(0.3 * i) * std::cos(0.2 * j));
  for (std::uint32_t j = 0; j < kSide; ++j)
    for (std::uint32_t i = 0; i < kSide; ++i) {
      const std::uint32_t a = j * (kSide + 1) + i, b = a + kSide + 1;
      waves.triangles.push_back({a, a + 1, b});
      waves.triangles.push_back({a + 1, b + 1, b});
    }
  const TriangleTree tree(waves.vertices, waves.triangles);
  for (const double width : {1e-9, 0.01, 0.1, 0.5, 30.0}) {  // of a group, where triangles are 0.025 wide
    std::vector<Vec3> points;
    for (int group = 0; group < 5; ++group) {
      const Vec3 corner(place(generator), place(generator), 0);
      for (int i = 0; i < 300; ++i)
        points.push_back(corner + Vec3(width * place(generator), width * place(generator), noise(generator)));
    }
    std::vector<std::uint32_t> together(points.size()), alone(points.size());
    tree.closest(points, together);
    for (std::size_t q = 0; q < points.size(); ++q)
      tree.closest(std::span(points).subspan(q, 1), std::span(alone).subspan(q, 1));
    EXPECT_EQ(together, alone) << width;
    for (std::size_t q = 0; q < points.size(); q += 10) {
      double least = waves.squared(0, points[q]);
      for (std::size_t t = 1; t < waves.triangles.size(); ++t)
        least = std::min(least, waves.squared(t, points[q]));
      EXPECT_LE(std::sqrt(waves.squared(together[q], points[q])), std::sqrt(least) + 1e-12) << width;
    }
  }
}

// Points right above shared edges and corners, in two orders: ties do not depend on what was asked before.
TEST(TriangleTree, TheOrderOfQueriesChangesNothing) {
  Soup grid;
  constexpr std::uint32_t kSide = 30;
  for (std::uint32_t j = 0; j < kSide; ++j)
    for (std::uint32_t i = 0; i < kSide; ++i) grid.vertices.emplace_back(i, j, 0);
  for (std::uint32_t j = 0; j + 1 < kSide; ++j)
    for (std::uint32_t i = 0; i + 1 < kSide; ++i) {
      const std::uint32_t a = j * kSide + i;
      grid.triangles.push_back({a, a + 1, a + kSide});
      grid.triangles.push_back({a + 1, a + kSide + 1, a + kSide});
    }
  const TriangleTree tree(grid.vertices, grid.triangles);
  std::vector<Vec3> points;
  for (const Vec3& vertex : grid.vertices) {
    points.push_back(vertex + Vec3(0, 0, 1));
    points.push_back(vertex + Vec3(0.5, 0, 0.3));
    points.push_back(vertex + Vec3(0.1, 0.1, -7));
  }
  std::vector<std::uint32_t> forwards(points.size()), backwards(points.size());
  tree.closest(points, forwards);
  std::ranges::reverse(points);
  tree.closest(points, backwards);
  std::ranges::reverse(backwards);
  EXPECT_EQ(forwards, backwards);
}

}  // namespace
}  // namespace aqbench
