// Bodies with two sides: growth is positive out of them, and a side is compared with itself.
#include "metrics/change/sides.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/quantiles.h"
#include "metrics/change/change.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

const Vec3 kUp = -Vec3::UnitZ();

// Draws points uniformly, with noise on each axis.
class Drawn {
 public:
  Drawn(std::uint64_t seed, double sigma_m) : random_(seed), noise_(0, sigma_m) {}

  void add_face(const Vec3& corner, const Vec3& along, const Vec3& across, double spacing_m) {
    const auto count =
        static_cast<std::size_t>(std::round(along.norm() * across.norm() / (spacing_m * spacing_m)));
    for (std::size_t i = 0; i < count; ++i) add(corner + u_(random_) * along + u_(random_) * across);
  }
  // A plate of 0.12 x 0.1 m between two heights, with its rim or without.
  void add_plate(double bottom_m, double top_m, double spacing_m, bool with_rim) {
    const Vec3 x(0.12, 0, 0), y(0, 0.1, 0), z(0, 0, top_m - bottom_m), low(0, 0, bottom_m);
    add_face(low, x, y, spacing_m);
    add_face(low + z, x, y, spacing_m);
    if (!with_rim) return;
    for (const Vec3& side : {Vec3(Vec3::Zero()), y}) add_face(low + side, x, z, spacing_m);
    for (const Vec3& side : {Vec3(Vec3::Zero()), x}) add_face(low + side, y, z, spacing_m);
  }
  void add_ball(double radius_m, std::size_t count) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i)
      add(radius_m * Vec3(normal(random_), normal(random_), normal(random_)).normalized());
  }
  void add_tube(double radius_m, double length_m, double spacing_m) {
    const double around = 2 * M_PI;
    const auto count = static_cast<std::size_t>(around * radius_m * length_m / (spacing_m * spacing_m));
    for (std::size_t i = 0; i < count; ++i) {
      const double angle = around * u_(random_);
      add({radius_m * std::cos(angle), radius_m * std::sin(angle), length_m * u_(random_)});
    }
  }
  PointCloud cloud() const { return {points_m_, {}, {}}; }

 private:
  void add(const Vec3& point) {
    points_m_.push_back(point + Vec3(noise_(random_), noise_(random_), noise_(random_)));
  }
  std::mt19937_64 random_;
  std::normal_distribution<double> noise_;
  std::uniform_real_distribution<double> u_{0, 1};
  std::vector<Vec3> points_m_;
};

Vec3 steps_of(const PointCloud& cloud) {
  StepsOfCloud steps = float_steps_of(cloud, 1);
  add_steps_of_heights(cloud, 2, steps);
  return steps.step_m;
}

struct Found {
  double median_m = 0, share_positive = 0;
  std::size_t measured = 0;
};

// Of the cores in a box.
Found change_of(PointCloud before, PointCloud after, const Eigen::AlignedBox3d& box,
                const Eigen::Matrix3d& turn = Eigen::Matrix3d::Identity()) {
  std::vector<Vec3> cores_m;
  for (std::size_t i = 0; i < before.points_m.size(); i += 3)
    if (box.contains(before.points_m[i])) cores_m.push_back(turn * before.points_m[i]);
  for (PointCloud* const cloud : {&before, &after})
    for (Vec3& point : cloud->points_m) point = turn * point;
  find_sides(before, after, kUp);
  std::vector<double> distances_m;
  for (const M3c2Change& change :
       measure_m3c2(before, after, cores_m, m3c2_scales(before.points_m, after.points_m)))
    if (std::isfinite(change.distance_m)) distances_m.push_back(change.distance_m);
  const auto positive = std::ranges::count_if(distances_m, [](double d) { return d > 0; });
  Found found;
  found.measured = distances_m.size();
  found.share_positive = static_cast<double>(positive) / static_cast<double>(found.measured);
  if (found.measured > 0) found.median_m = median_of(std::move(distances_m));
  return found;
}

const Eigen::AlignedBox3d kAll(Vec3(-9, -9, -9), Vec3(9, 9, 9));
const Eigen::Matrix3d kTurn = Eigen::AngleAxisd(1.1, Vec3(1, 2, -0.5).normalized()).toRotationMatrix();

// The upper face is at z = 0 and grows to -2 mm; the lower one stays.
TEST(FindSides, TheUpperFaceOfALeafIsComparedWithItself) {
  const Eigen::AlignedBox3d upper(Vec3(0.01, 0.01, -0.001), Vec3(0.11, 0.09, 0.001));
  for (const double thick_m : {0.004, 0.01, 0.03, 0.08})
    for (const bool with_rim : {false, true}) {
      Drawn before(1, 0.0001), after(2, 0.0001);
      before.add_plate(0, thick_m, 0.0015, with_rim);
      after.add_plate(-0.002, thick_m, 0.0015, with_rim);
      for (const Eigen::Matrix3d& turn : {Eigen::Matrix3d(Eigen::Matrix3d::Identity()), kTurn}) {
        const Found found = change_of(before.cloud(), after.cloud(), upper, turn);
        EXPECT_NEAR(found.median_m, 0.002, 5e-5) << thick_m << with_rim;
        EXPECT_GT(found.share_positive, 0.99) << thick_m << with_rim;
      }
    }
}

TEST(FindSides, APlateThatGrowsOnBothFacesGrows) {
  for (const double thick_m : {0.005, 0.02})
    for (const bool with_rim : {false, true}) {
      Drawn before(3, 0.0001), after(4, 0.0001);
      before.add_plate(0, thick_m, 0.002, with_rim);
      after.add_plate(-0.001, thick_m + 0.001, 0.002, with_rim);
      const Found found =
          change_of(before.cloud(), after.cloud(), {Vec3(0.01, 0.01, -1), Vec3(0.11, 0.09, 1)});
      EXPECT_NEAR(found.median_m, 0.001, 5e-5) << thick_m << with_rim;
      EXPECT_GT(found.share_positive, 0.99) << thick_m << with_rim;
    }
}

TEST(FindSides, ABallGrowsOutwards) {
  Drawn before(5, 0.0002), after(6, 0.0002);
  before.add_ball(0.1, 20000);
  after.add_ball(0.105, 20000);
  const Found found = change_of(before.cloud(), after.cloud(), kAll);
  EXPECT_NEAR(found.median_m, 0.005, 1e-4);
  EXPECT_EQ(found.share_positive, 1);
  EXPECT_GT(found.measured, 6000U);
}

// Outer face 40 mm about an axis, inner one 30 mm; both grow 1 mm into the water.
TEST(FindSides, TheInnerFaceOfATubeGrowsIntoIt) {
  Drawn before(7, 0.0001), after(8, 0.0001);
  before.add_tube(0.04, 0.15, 0.0025);
  before.add_tube(0.03, 0.15, 0.0025);
  after.add_tube(0.041, 0.15, 0.0025);
  after.add_tube(0.029, 0.15, 0.0025);
  const Found found = change_of(before.cloud(), after.cloud(), kAll, kTurn);
  EXPECT_NEAR(found.median_m, 0.001, 1e-4);
  EXPECT_GT(found.share_positive, 0.99);
}

// A wall across y with waves; it retreats by 3 mm.
TEST(FindSides, AWallThatRetreatsHasOneSign) {
  std::vector<Found> found;
  for (const double sign : {1.0, -1.0}) {
    PointCloud states[2];
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> u(0, 1);
    std::normal_distribution<double> noise(0, 0.0003);
    for (int state = 0; state < 2; ++state)
      for (int i = 0; i < 12000; ++i) {
        const double x = 0.4 * u(random), z = 0.3 * u(random);
        states[state].points_m.emplace_back(
            x, 0.004 * std::sin(40 * x) * std::cos(30 * z) + 0.003 * state * sign + noise(random), z);
      }
    found.push_back(change_of(states[0], states[1], kAll));
    EXPECT_NEAR(std::abs(found.back().median_m), 0.003, 1e-4);
    EXPECT_EQ(found.back().measured, 4000U);
  }
  EXPECT_EQ(found[0].share_positive + found[1].share_positive, 1) << "one of them grows";
}

TEST(FindSides, AreTheSameForAnyNumberOfThreads) {
  const auto [one, seven] = on_threads<1, 7>([] {
    Drawn before(10, 0.0005), after(11, 0.0005);
    before.add_plate(0, 0.01, 0.002, true);
    after.add_plate(0, 0.01, 0.002, true);
    PointCloud was = before.cloud(), is = after.cloud();
    find_sides(was, is, kUp);
    return was.normals;
  });
  EXPECT_EQ(one, seven);
}

// A slope under water whose heights are kept to 10 mm: the means are wrong by up to 5 mm in each state, and
// the limit of detection says so.
TEST(StepsOf, RoundedHeightsWidenTheLimit) {
  PointCloud states[2];
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> u(0, 1);
  for (PointCloud& state : states)
    for (int i = 0; i < 20000; ++i) {
      const double x = u(random), y = u(random), lift_m = &state == states ? 0 : 0.004;
      state.points_m.emplace_back(x, y, std::round((0.03 * x + 0.02 * y + lift_m) / 0.01) * 0.01);
    }
  find_sides(states[0], states[1], kUp);
  M3c2Options options = m3c2_scales(states[0].points_m, states[1].points_m);
  options.step_before_m = steps_of(states[0]);
  options.step_after_m = steps_of(states[1]);
  EXPECT_NEAR(options.step_before_m.z(), 0.01, 1e-12);
  EXPECT_EQ(options.step_before_m.x(), 0);
  std::size_t wrong = 0;
  const auto changes = measure_m3c2(states[0], states[1], states[0].points_m, options);
  for (const M3c2Change& change : changes)
    wrong += std::isfinite(change.distance_m) && std::abs(change.distance_m + 0.004) > change.limit_m ? 1 : 0;
  EXPECT_LT(wrong, changes.size() / 20);
}

TEST(StepsOf, AFormulaHasNone) {
  PointCloud slope, steps;
  for (int i = 0; i < 60; ++i)
    for (int k = 0; k < 60; ++k) {
      slope.points_m.emplace_back(0.01 * i, 0.01 * k, 0.0075 * i + 0.01 * k);
      steps.points_m.emplace_back(0.01 * i, 0.01 * k, i < 30 ? 0 : 0.1);
    }
  for (PointCloud* const cloud : {&slope, &steps}) {
    PointCloud same = *cloud;
    find_sides(*cloud, same, kUp);
    EXPECT_EQ(steps_of(*cloud).z(), 0) << "heights of a regular grid, or of two levels";
  }
}

}  // namespace
}  // namespace aqbench
