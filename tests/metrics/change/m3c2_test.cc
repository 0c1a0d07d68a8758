#include "metrics/change/change.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/random.h"
#include "metrics/change/sides.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

constexpr RandomKey kKey{7, RandomStream::point_noise};

// Random points of a tilted plane with noise along its normal, moved along it by `shift_m`.
struct TiltedPlane {
  Vec3 normal = Vec3(0.2, -0.3, -1).normalized();
  Vec3 along = normal.cross(Vec3::UnitX()).normalized();
  Vec3 across = normal.cross(along);

  std::vector<Vec3> points(std::size_t count, double size_m, double sigma_m, double shift_m,
                           std::uint32_t slot, const Vec3& offset_m = Vec3::Zero()) const {
    std::vector<Vec3> result;
    for (std::size_t i = 0; i < count; ++i) {
      const auto place = uniform01_pair(kKey, i, 2 * slot);
      const double noise_m = sigma_m * normal_pair(kKey, i, 2 * slot + 1)[0];
      result.push_back(offset_m + size_m * (place[0] - 0.5) * along + size_m * (place[1] - 0.5) * across +
                       (shift_m + noise_m) * normal);
    }
    return result;
  }
};

// Of clouds whose sides are found.
std::vector<M3c2Change> changes_of(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                                   std::span<const Vec3> cores_m, const M3c2Options& options) {
  PointCloud before{{before_m.begin(), before_m.end()}, {}, {}},
      after{{after_m.begin(), after_m.end()}, {}, {}};
  find_sides(before, after, options.up);
  return measure_m3c2(before, after, cores_m, options);
}

const M3c2Options kScales{.normal_diameter_m = 0.08, .cylinder_diameter_m = 0.04, .depth_m = 0.1};

TEST(M3c2, FindsAPlantedShiftAlongTheNormalOfATiltedPlane) {
  const TiltedPlane plane;
  const auto before = plane.points(20000, 1, 0, 0, 0), after = plane.points(20000, 1, 0, 0.005, 1);
  const std::vector<Vec3> cores{Vec3::Zero(), 0.2 * plane.along, -0.3 * plane.across};
  for (const M3c2Change& change : changes_of(before, after, cores, kScales)) {
    EXPECT_NEAR((change.normal - plane.normal).norm(), 0, 1e-9) << "towards -z, where the cameras are";
    EXPECT_NEAR(change.distance_m, 0.005, 1e-12);
    EXPECT_TRUE(change.is_significant());
  }
}

// Counted by hand: a loop over all points that asks what the paper asks.
TEST(M3c2, AgreesWithALoopOverAllPoints) {
  const TiltedPlane plane;
  const auto before = plane.points(3000, 0.5, 0.002, 0, 2), after = plane.points(2500, 0.5, 0.003, 0.004, 3);
  const std::vector<Vec3> cores(before.begin(), before.begin() + 40);
  M3c2Options options = kScales;
  options.registration_m = 0.0005;
  const auto changes = changes_of(before, after, cores, options);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    std::vector<double> places[2];
    int state = 0;
    for (const auto* const points : {&before, &after}) {
      for (const Vec3& point : *points) {
        const double place = (point - cores[i]).dot(changes[i].normal);
        if (std::abs(place) <= options.depth_m &&
            (point - cores[i] - place * changes[i].normal).norm() <= options.cylinder_diameter_m / 2)
          places[state].push_back(place);
      }
      ++state;
    }
    ASSERT_EQ(changes[i].points_before, places[0].size());
    ASSERT_EQ(changes[i].points_after, places[1].size());
    double mean[2], variance[2];
    for (int s = 0; s < 2; ++s) {
      const auto n = static_cast<double>(places[s].size());
      mean[s] = variance[s] = 0;
      for (const double place : places[s]) mean[s] += place / n;
      for (const double place : places[s]) variance[s] += (place - mean[s]) * (place - mean[s]) / (n - 1) / n;
    }
    EXPECT_NEAR(changes[i].distance_m, mean[1] - mean[0], 1e-15);
    const double n = static_cast<double>(places[0].size()), m = static_cast<double>(places[1].size());
    const double degrees = std::pow(variance[0] + variance[1], 2) /
                           (variance[0] * variance[0] / (n - 1) + variance[1] * variance[1] / (m - 1));
    const double over = changes[i].limit_m / (std::sqrt(variance[0] + variance[1]) + options.registration_m);
    EXPECT_NEAR(2 * cdf(complement(boost::math::students_t(degrees), over)), 0.05, 1e-12);
  }
}

TEST(M3c2, IdenticalStatesStayWithinTheLimitAtItsConfidence) {
  constexpr std::size_t kDraws = 10000;
  const TiltedPlane plane;
  std::vector<Vec3> before, after, cores;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {  // patches of 64 points, far from each other
    const Vec3 offset_m(static_cast<double>(draw % 100), static_cast<double>(draw / 100), 0);
    for (auto* const state : {&before, &after}) {
      const auto slot = static_cast<std::uint32_t>(10 + 2 * draw + (state == &after ? 1 : 0));
      const auto points = plane.points(64, 0.06, 0.002, 0, slot, offset_m);
      state->insert(state->end(), points.begin(), points.end());
    }
    cores.push_back(offset_m);
  }
  std::size_t within = 0, measured = 0;
  const PointCloud was{before, {}, {}}, is{after, {}, {}};
  for (const M3c2Change& change : measure_m3c2(was, is, cores, kScales)) {
    measured += std::isfinite(change.distance_m) ? 1 : 0;
    within += std::isfinite(change.distance_m) && !change.is_significant() ? 1 : 0;
  }
  ASSERT_EQ(measured, kDraws);
  EXPECT_GE(within, 9435U);
  EXPECT_LE(within, 9565U);
}

TEST(M3c2, ASteepCylinderFindsWhatAFlatOneFinds) {
  const TiltedPlane plane;
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.2, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  const auto before = plane.points(5000, 0.5, 0.002, 0, 4), after = plane.points(5000, 0.5, 0.002, 0.003, 5);
  const auto turned = [&](std::vector<Vec3> points) {
    for (Vec3& point : points) point = turn * point;
    return points;
  };
  const std::vector<Vec3> cores(before.begin(), before.begin() + 50);
  M3c2Options options = kScales;
  const auto flat = changes_of(before, after, cores, options);
  options.up = turn * options.up;
  const auto rotated = changes_of(turned(before), turned(after), turned(cores), options);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    EXPECT_EQ(flat[i].points_before, rotated[i].points_before);
    EXPECT_EQ(flat[i].points_after, rotated[i].points_after);
    EXPECT_NEAR(flat[i].distance_m, rotated[i].distance_m, 1e-12);
    EXPECT_NEAR(flat[i].limit_m, rotated[i].limit_m, 1e-12);
  }
}

TEST(M3c2, IsUndefinedWhereAStateHasTooFewPoints) {
  const TiltedPlane plane;
  const auto before = plane.points(500, 0.2, 0.001, 0, 6);
  const std::vector<Vec3> after{Vec3::Zero(), Vec3(0.001, 0, 0), Vec3(0, 0.001, 0)},
      cores{Vec3::Zero(), Vec3(5, 0, 0)};
  const auto changes = changes_of(before, after, cores, kScales);
  EXPECT_TRUE(std::isnan(changes[0].distance_m));
  EXPECT_EQ(changes[0].points_after, 3U);
  EXPECT_TRUE(std::isnan(changes[0].limit_m));
  EXPECT_FALSE(changes[0].is_significant());
  EXPECT_TRUE(changes[1].normal.isZero());
  EXPECT_THROW(changes_of(before, after, cores, M3c2Options{}), std::exception);
}

// Variances far below the square of the smallest number that a double has.
TEST(M3c2, ANoiseFreeMoundIsMeasured) {
  std::vector<Vec3> before, after;
  for (int i = 0; i < 100; ++i)
    for (int k = 0; k < 100; ++k) {
      const double x = 0.01 * i, y = 0.01 * k;
      const double height_m = 0.05 * std::exp(-((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)) / 0.0013);
      before.emplace_back(x, y, 0);
      after.emplace_back(x, y, -height_m);
    }
  double largest_m = 0;
  for (const M3c2Change& change : changes_of(before, after, before, m3c2_scales(before, after))) {
    ASSERT_FALSE(std::isnan(change.limit_m));
    largest_m = std::max(largest_m, change.distance_m);
  }
  EXPECT_GT(largest_m, 0.01);
}

TEST(M3c2, IsTheSameForAnyNumberOfThreads) {
  const TiltedPlane plane;
  const auto before = plane.points(3000, 0.3, 0.002, 0, 8), after = plane.points(3000, 0.3, 0.002, 0.001, 9);
  const M3c2Options scales = m3c2_scales(before, after);
  const auto [one, seven] = on_threads<1, 7>([&] { return changes_of(before, after, before, scales); });
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].distance_m, seven[i].distance_m);
    ASSERT_EQ(one[i].limit_m, seven[i].limit_m);
  }
}

TEST(M3c2Scales, ACylinderHoldsAboutThirtyPoints) {
  const TiltedPlane plane;
  const auto dense = plane.points(40000, 1, 0, 0, 11), sparse = plane.points(10000, 1, 0, 0, 12);
  const M3c2Options scales = m3c2_scales(dense, sparse);
  EXPECT_NEAR(scales.cylinder_diameter_m, 2 * std::sqrt(30 / (M_PI * 10000)), 0.003);
  EXPECT_DOUBLE_EQ(scales.normal_diameter_m, 2 * scales.cylinder_diameter_m);
  EXPECT_DOUBLE_EQ(scales.depth_m, 5 * scales.cylinder_diameter_m);
}

}  // namespace
}  // namespace aqbench
