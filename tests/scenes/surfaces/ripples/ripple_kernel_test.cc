#include "scenes/surfaces/ripples/ripple_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace aqbench {
namespace {

// The parabola of the proof, for any phase change and for phase changes within a range.
TEST(RippleProof, AParabolaLiesUnderASine) {
  for (double phase = -std::numbers::pi; phase <= std::numbers::pi; phase += 0.01) {
    const double u = std::abs(std::remainder(phase - std::numbers::pi / 2, 2 * std::numbers::pi));
    const double s = std::sin(phase), c = std::cos(phase);
    const double whole = u > 1e-4 ? std::abs(c) / u : 1;
    for (double d = -40; d <= 40; d += 0.037)
      ASSERT_GE(std::sin(phase + d), s + c * d - 0.5 * whole * d * d - 1e-12) << phase << " " << d;
    for (const double range : {0.3, 1.0, 2.0, 4.0, 6.0}) {
      const double e = std::min(range, 2 * u);
      if (e < 1e-3) continue;
      const double bent = 2 * (s * (1 - std::cos(e)) + std::abs(c) * (e - std::sin(e))) / (e * e);
      EXPECT_LE(bent, whole + 1e-9);
      for (double d = -range; d <= range; d += range / 200)
        ASSERT_GE(std::sin(phase + d), s + c * d - 0.5 * bent * d * d - 1e-9) << phase << " " << d;
    }
  }
}

TEST(RippleBasin, HoldsNothingNearer) {
  const RippleFieldShape shape = make_ripples({});
  const auto field = make_ripple_field(shape, {});
  const RippleTable table = make_ripple_table(shape);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> u(-1, 1);
  int basins = 0;
  for (int i = 0; i < 100; ++i) {
    const double x = 0.2 * u(random), y = 0.1 * u(random), side = i % 2 == 0 ? 1 : -1;
    const HeightJet j = field->jet(x, y);
    const double depth = 0.03 * std::abs(u(random));
    // A point for which (x, y) is a stationary foot.
    const Vec3 p(x + side * depth * j.fx, y + side * depth * j.fy, j.z - side * depth);
    const double distance = (Vec3(x, y, j.z) - p).norm();
    const double radius = ripple_basin_radius(table, x, y, side, depth, 0.1);
    EXPECT_LE(radius, 0.1);
    if (radius == 0) continue;
    ++basins;
    for (int k = 0; k < 400; ++k) {
      const double r = radius * std::sqrt(std::abs(u(random))), angle = std::numbers::pi * u(random);
      const double at_x = x + r * std::cos(angle), at_y = y + r * std::sin(angle);
      ASSERT_GE((Vec3(at_x, at_y, field->jet(at_x, at_y).z) - p).norm(), distance - 1e-12);
    }
  }
  EXPECT_GT(basins, 50);
  EXPECT_EQ(ripple_basin_radius(table, 0, 0, 1, -0.01, 0.1), 0);
}

TEST(RippleKernel, ProvesAllNearPointsAndAgreesWithTheFormula) {
  const RippleFieldShape shape = make_ripples({});
  const auto field = make_ripple_field(shape, {});
  std::vector<Vec3> points(5000);
  field->sample_positions(1, 0, points);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].z() += i % 2 == 0 ? 0.004 : -0.004;
  std::vector<ClosestPoint> out(points.size());
  std::vector<unsigned char> found(points.size());
  ripple_closest_points(shape, points, out, found);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(found[i], 1);
    const HeightJet j = field->jet(out[i].position_m.x(), out[i].position_m.y());
    EXPECT_NEAR(out[i].position_m.z(), j.z, 1e-14);
  }
  const RippleTable table = make_ripple_table(shape);
  for (const Vec3& p : points) {
    double z = shape.base_depth_m;
    for (const Ripple& r : shape.ripples)
      z += r.amplitude_m * std::sin(r.wave_x * p.x() + r.wave_y * p.y() + r.phase);
    EXPECT_NEAR(ripple_jet(table, p.x(), p.y()).z, z, 1e-14);
  }
}

}  // namespace
}  // namespace aqbench
