// Closest points of the surfaces by formula, against brute force and against points made at a known distance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "scenes/surfaces/ripples/ripple_field.h"
#include "scenes/surfaces/shapes.h"
#include "scenes/surfaces/surface.h"
#include "tests/scenes/surfaces/known_fields.h"

namespace aqbench {
namespace {

using surface_testing::known_fields;
using Field = std::shared_ptr<const HeightField>;

// Brute force, from heights alone: plain, slow, independent of derivatives. Walks downhill on a 3 x 3 stencil
// that shrinks where it finds nothing lower.
double refine_distance(const HeightField& field, const Vec3& p, double x, double y, double step_m) {
  const auto squared = [&](double at_x, double at_y) {
    return (Vec3(at_x, at_y, field.jet(at_x, at_y).z) - p).squaredNorm();
  };
  double best = squared(x, y);
  while (step_m > 1e-9) {
    double next_x = x, next_y = y;
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        const double here = squared(x + i * step_m, y + j * step_m);
        if (here < best) {
          best = here;
          next_x = x + i * step_m;
          next_y = y + j * step_m;
        }
      }
    }
    if (next_x == x && next_y == y) step_m /= 2;
    x = next_x;
    y = next_y;
  }
  return std::sqrt(best);
}

// The smallest distance over a grid of the disc that the surface straight below bounds, refined from every
// local minimum of the grid.
double brute_force_distance(const HeightField& field, const Vec3& p, double grid_m) {
  const double reach = std::abs(field.jet(p.x(), p.y()).z - p.z());
  const int n = static_cast<int>(std::ceil(reach / grid_m)) + 1, side = 2 * n + 1;
  std::vector<double> squared(static_cast<std::size_t>(side * side));
  const auto at = [&](int i, int j) -> double& {
    return squared[static_cast<std::size_t>((j + n) * side + i + n)];
  };
  for (int j = -n; j <= n; ++j) {
    for (int i = -n; i <= n; ++i) {
      const double x = p.x() + i * grid_m, y = p.y() + j * grid_m;
      at(i, j) = (Vec3(x, y, field.jet(x, y).z) - p).squaredNorm();
    }
  }
  const double lowest = std::sqrt(*std::ranges::min_element(squared));
  double best = reach;
  for (int j = -n; j <= n; ++j) {
    for (int i = -n; i <= n; ++i) {
      if (std::sqrt(at(i, j)) > lowest + grid_m) continue;  // too far for a cell to make good
      bool local = true;
      for (int dj = std::max(-n, j - 1); dj <= std::min(n, j + 1); ++dj)
        for (int di = std::max(-n, i - 1); di <= std::min(n, i + 1); ++di)
          local = local && at(i, j) <= at(di, dj);
      if (local)
        best = std::min(best, refine_distance(field, p, p.x() + i * grid_m, p.y() + j * grid_m, grid_m));
    }
  }
  return best;
}

ClosestPoint closest(const HeightField& field, const Vec3& p) {
  ClosestPoint out;
  field.closest_points(std::span(&p, 1), std::span(&out, 1));
  return out;
}

void expect_consistent(const HeightField& field, const Vec3& p, const ClosestPoint& c) {
  const HeightJet jet = field.jet(c.position_m.x(), c.position_m.y());
  EXPECT_NEAR(c.position_m.z(), jet.z, 1e-13);
  const Vec3 normal = Vec3(jet.fx, jet.fy, -1).normalized();
  EXPECT_LT((c.normal - normal).norm(), 1e-10) << p.transpose();
  EXPECT_NEAR(std::abs(c.signed_distance_m), (p - c.position_m).norm(), 1e-13 * (1 + std::abs(p.z())));
  // The foot is where the normal points to the point.
  EXPECT_LT((p - c.position_m - c.signed_distance_m * c.normal).norm(), 1e-9) << p.transpose();
}

// Each test seeds its generator for each field, so that one more field changes nothing for the others.
Vec3 random_point(std::mt19937_64& random, const HeightField& field, double height_m) {
  std::uniform_real_distribution<double> u(-1, 1);
  const double x = 0.3 * u(random), y = 0.2 * u(random);
  return {x, y, field.jet(x, y).z + height_m * u(random)};
}

TEST(ClosestPoints, EqualBruteForceUpToTwentyMillimetres) {
  for (const auto& [name, field] : known_fields()) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 150; ++i) {
      const Vec3 p = random_point(random, *field, i % 3 == 0 ? 0.003 : 0.02);
      const ClosestPoint c = closest(*field, p);
      ASSERT_NEAR(std::abs(c.signed_distance_m), brute_force_distance(*field, p, 0.001), 2e-9)
          << name << " at " << p.transpose();
      expect_consistent(*field, p, c);
    }
  }
}

TEST(ClosestPoints, EqualBruteForceAtTwoHundredMillimetres) {
  for (const auto& [name, field] : known_fields()) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 8; ++i) {
      const Vec3 p = random_point(random, *field, 0.2);
      const ClosestPoint c = closest(*field, p);
      ASSERT_NEAR(std::abs(c.signed_distance_m), brute_force_distance(*field, p, 0.002), 2e-9)
          << name << " at " << p.transpose();
      expect_consistent(*field, p, c);
    }
  }
}

// A point at distance t along the normal of q has q as its closest point while t is below the reach, which is
// at least 1 / curvature: a ball of that radius that touches the surface lies on one side of it.
TEST(ClosestPoints, FindThePointTheyWereOffsetFrom) {
  std::uniform_real_distribution<double> u(-1, 1);
  for (const auto& [name, field] : known_fields()) {
    std::mt19937_64 random(3);
    const double reach = std::min(1.0, 0.99 / field->bounds().curvature);
    for (int i = 0; i < 2000; ++i) {
      const double x = 0.3 * u(random), y = 0.2 * u(random);
      const HeightJet jet = field->jet(x, y);
      const Vec3 q(x, y, jet.z), normal = Vec3(jet.fx, jet.fy, -1).normalized();
      const double t = reach * u(random);
      const ClosestPoint c = closest(*field, q + t * normal);
      ASSERT_NEAR(c.signed_distance_m, t, 1e-12 * (1 + std::abs(t))) << name;
      ASSERT_LT((c.position_m - q).norm(), 1e-9) << name << " at " << q.transpose() << " t " << t;
    }
  }
}

// Points where one Newton run from straight below ends on another ripple: about one in ten at 20 mm.
TEST(ClosestPoints, AreGlobalWhereNewtonFromBelowIsNot) {
  const Field field = make_undulating({}, {});
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> u(-1, 1);
  int wrong = 0;
  const int count = 400;
  for (int i = 0; i < count; ++i) {
    const double x = 0.2 * u(random), y = 0.1 * u(random);
    const Vec3 p(x, y, field->jet(x, y).z - 0.02);
    double at_x = x, at_y = y;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const HeightJet j = field->jet(at_x, at_y);
      const double w = j.z - p.z();
      const double gx = at_x - x + w * j.fx, gy = at_y - y + w * j.fy;
      const double hxx = 1 + j.fx * j.fx + w * j.fxx, hyy = 1 + j.fy * j.fy + w * j.fyy;
      const double hxy = j.fx * j.fy + w * j.fxy, det = hxx * hyy - hxy * hxy;
      at_x -= (hyy * gx - hxy * gy) / det;
      at_y -= (hxx * gy - hxy * gx) / det;
    }
    const double newton = (Vec3(at_x, at_y, field->jet(at_x, at_y).z) - p).norm();
    const double exact = std::abs(closest(*field, p).signed_distance_m);
    EXPECT_LE(exact, newton + 1e-12);
    EXPECT_NEAR(exact, brute_force_distance(*field, p, 0.001), 2e-9);
    if (newton > exact + 1e-6) ++wrong;
  }
  EXPECT_GT(wrong, count / 50);  // else this test shows nothing
}

TEST(ClosestPoints, OnTheAxesOfSymmetry) {
  const UndulatingShape shape;
  const Field field = make_undulating(shape, {});
  // Above a trough in x and in y, on the lines where two or four crests are equally near.
  for (const double x : {0.0125, -0.0375, 0.0625}) {
    for (const double y : {0.01625, -0.04875}) {
      for (const double height : {-0.2, -0.05, -0.02, -0.0127, -0.0126, 0.0126, 0.02, 0.05, 0.2}) {
        const Vec3 p(x, y, field->jet(x, y).z + height);
        const ClosestPoint c = closest(*field, p);
        EXPECT_NEAR(std::abs(c.signed_distance_m), brute_force_distance(*field, p, 0.001), 2e-9);
        EXPECT_EQ(std::signbit(c.signed_distance_m), height > 0);
      }
    }
  }
  // Inside a hemisphere-like mound every direction is as near: the ring's distance is what counts.
  const Field mound = make_mound({1.178, 0.03, 0.02, 0, 0}, {});
  for (const double depth : {0.005, 0.02, 0.04, 0.1}) {
    const Vec3 p(0, 0, mound->jet(0, 0).z + depth);
    EXPECT_NEAR(-closest(*mound, p).signed_distance_m, brute_force_distance(*mound, p, 0.001), 2e-9);
  }
}

TEST(ClosestPoints, SignIsThatOfTheCamerasSide) {
  for (const auto& [name, field] : known_fields()) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 300; ++i) {
      const Vec3 p = random_point(random, *field, 0.05);
      const bool above = p.z() < field->jet(p.x(), p.y()).z;
      EXPECT_EQ(closest(*field, p).signed_distance_m > 0, above) << name << " at " << p.transpose();
    }
    const Vec3 on(0.01, 0.02, field->jet(0.01, 0.02).z);
    EXPECT_NEAR(closest(*field, on).signed_distance_m, 0, 1e-15) << name;
  }
}

TEST(ClosestPoints, AMetreAndAKilometreAway) {
  for (const auto& [name, field] : known_fields()) {
    std::mt19937_64 random(6);
    for (const double height : {-1.0, -0.7, 1.0}) {
      const Vec3 p(0.013, -0.007, 1.178 + height);
      const ClosestPoint c = closest(*field, p);
      EXPECT_NEAR(std::abs(c.signed_distance_m), brute_force_distance(*field, p, 0.01), 5e-9) << name;
    }
  }
  const Field field = make_undulating({}, {});
  const ClosestPoint c = closest(*field, {0.013, -0.007, -1000});
  EXPECT_NEAR(c.signed_distance_m, 1001.168, 1e-6);  // to the nearest crest, 10 mm above the base
}

// Garbage far away costs no time, and its distance is right to a millionth.
TEST(ClosestPoints, OfAbsurdlyFarPoints) {
  for (const auto& [name, field] : known_fields()) {
    if (!std::isfinite(field->bounds().z_max_m)) continue;  // a tilted plane has no band of heights
    const double relief = std::max(field->bounds().z_max_m - 1.178, 1.178 - field->bounds().z_min_m);
    for (const double distance : {20.0, 1e3, 1e4, 1e6, 1e9, 1e12, 1e30}) {
      for (const double sign : {-1.0, 1.0}) {
        const ClosestPoint c = closest(*field, {0.013, -0.007, sign * distance});
        EXPECT_NEAR(c.signed_distance_m, -sign * distance + 1.178, 2e-6 * distance + relief + 1e-9) << name;
      }
    }
  }
}

TEST(ClosestPoints, OfSurfacesWithoutRelief) {
  RippleOptions still;
  still.rms_m = 0;
  for (const Field& field :
       {make_undulating({1.178, 0, 0.05, 1.3}, {}), make_step({1.178, 0, 0.03, 0}, {}),
        make_mound({1.178, 0, 0.05, 0, 0}, {}), make_ripple_field(make_ripples(still), {})}) {
    for (const double height : {-0.5, -0.02, -0.001, 0.0, 0.001, 0.3}) {
      const ClosestPoint c = closest(*field, {0.01, 0.02, 1.178 + height});
      EXPECT_NEAR(c.signed_distance_m, -height, 1e-15);
      EXPECT_LT((c.position_m - Vec3(0.01, 0.02, 1.178)).norm(), 1e-12);
    }
  }
}

TEST(ClosestPoints, DoNotDependOnTheBatchTheyComeIn) {
  for (const auto& [name, field] : known_fields()) {
    std::mt19937_64 random(7);
    std::vector<Vec3> points;
    for (int i = 0; i < 700; ++i) points.push_back(random_point(random, *field, i % 10 == 0 ? 0.03 : 0.002));
    std::vector<ClosestPoint> together(points.size());
    std::vector<double> distances(points.size());
    field->closest_points(points, together);
    field->signed_distances(points, distances);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ClosestPoint alone = closest(*field, points[i]);
      EXPECT_EQ(alone.signed_distance_m, together[i].signed_distance_m) << name;
      EXPECT_EQ(alone.position_m, together[i].position_m) << name;
      EXPECT_EQ(alone.normal, together[i].normal) << name;
      EXPECT_NEAR(alone.signed_distance_m, distances[i], 1e-15) << name;
    }
    field->closest_points({}, {});
    field->signed_distances({}, {});
  }
}

}  // namespace
}  // namespace aqbench
