#include "pipeline/simulated/simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "scenes/registry.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

std::vector<Vec3> run(const Scene& scene, const SimulatedProfile& profile, std::uint64_t seed) {
  return simulate(scene.truth, {Parameters(simulated_parameters(profile)), seed, "cpu"}).cloud.points_m;
}

bool same_bytes(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0;
}

class Simulated : public testing::Test {
 protected:
  Scene flat_ = make_scene("flat_plane", {});
  Scene undulating_ = make_scene("undulating", {});
};

// Closed forms of |e|, e ~ N(0, sigma), with their standard errors for n independent draws.
void expect_normal(std::vector<double> errors, double sigma) {
  const double n = static_cast<double>(errors.size());
  double sum = 0, absolute = 0, square = 0;
  for (const double e : errors) {
    sum += e;
    absolute += std::abs(e);
    square += e * e;
  }
  EXPECT_NEAR(sum / n, 0, 4 * sigma / std::sqrt(n));
  EXPECT_NEAR(absolute / n, std::sqrt(2 / std::numbers::pi) * sigma,
              4 * sigma * std::sqrt((1 - 2 / std::numbers::pi) / n));
  EXPECT_NEAR(std::sqrt(square / n), sigma, 4 * sigma / std::sqrt(2 * n));
  for (double& e : errors) e = std::abs(e);
  std::ranges::nth_element(errors, errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2));
  const double density = 2 * std::exp(-0.5 * 0.6744898 * 0.6744898) / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(errors[errors.size() / 2], 0.6744898 * sigma, 4 * sigma / (2 * density * std::sqrt(n)));
}

TEST_F(Simulated, NoiseIsNormalAndAlikeOnAllAxes) {
  const auto clean = run(flat_, {1000000, 0, 0}, 11);
  const auto noisy = run(flat_, {1000000, 0.002, 0}, 11);
  ASSERT_EQ(clean.size(), 1000000u);
  ASSERT_EQ(noisy.size(), clean.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < clean.size(); ++i) errors.push_back(noisy[i][axis] - clean[i][axis]);
    SCOPED_TRACE(axis);
    expect_normal(std::move(errors), 0.002);
  }
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const Vec3 error = (noisy[i] - clean[i]) / 0.002;
    covariance += error * error.transpose();
  }
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    EXPECT_NEAR(covariance(a, b) / 1e6, 0, 4 / std::sqrt(1e6));
}

// What the scorer will see: distances to the plane are the noise along z.
TEST_F(Simulated, DistancesToThePlaneAreTheNoise) {
  std::vector<double> errors;
  for (const Vec3& point : run(flat_, {1000000, 0.001, 0.05}, 3)) errors.push_back(point.z() - 1.178);
  expect_normal(std::move(errors), 0.001);
}

TEST_F(Simulated, WithoutNoisePointsLieOnTheSurface) {
  for (const Vec3& p : run(undulating_, {20000, 0, 0}, 5)) {
    const double z = 1.178 + 0.005 * (std::sin(2 * std::numbers::pi * p.x() / 0.05) +
                                      std::sin(2 * std::numbers::pi * p.y() / 0.065));
    ASSERT_NEAR(p.z(), z, 1e-12);
    ASSERT_TRUE(Patch{}.contains(p.x(), p.y()));
  }
}

TEST_F(Simulated, DropoutHasItsRateAndNoPattern) {
  const double n = 1e6;
  for (const double rate : {0.05, 0.10, 0.5}) {
    const auto kept = static_cast<double>(run(flat_, {1000000, 0, rate}, 17).size());
    EXPECT_NEAR(kept, n * (1 - rate), 4 * std::sqrt(n * rate * (1 - rate)));
  }
  EXPECT_EQ(run(flat_, {1000, 0.001, 0}, 1).size(), 1000u);
  EXPECT_TRUE(run(flat_, {1000, 0.001, 1}, 1).empty());
}

// A point is a function of (seed, index): fewer points are the first ones, dropout takes points away and
// changes none, and the noise of a point does not depend on its neighbours' fate.
TEST_F(Simulated, PointsDependOnSeedAndIndexAlone) {
  const auto all = run(undulating_, {20000, 0.001, 0}, 42);
  const auto some = run(undulating_, {9999, 0.001, 0}, 42);
  EXPECT_TRUE(same_bytes(some, {all.begin(), all.begin() + 9999}));
  std::size_t next = 0;
  for (const Vec3& point : run(undulating_, {20000, 0.001, 0.3}, 42)) {
    while (next < all.size() && all[next] != point) ++next;
    ASSERT_LT(next, all.size()) << "a survivor that was not there before, or out of order";
  }
}

TEST_F(Simulated, SameBytesForAnyThreadCountAndOnRerun) {
  for (const Scene* const scene : {&flat_, &undulating_}) {
    const auto clouds = on_threads<1, 1, 2, 3, 8>([&] { return run(*scene, {50001, 0.001, 0.05}, 7); });
    for (const std::vector<Vec3>& cloud : clouds) EXPECT_TRUE(same_bytes(cloud, clouds[0]));
  }
}

TEST_F(Simulated, SeedsDifferInPositionNoiseAndDropout) {
  const auto survivors = [&](std::uint64_t seed) { return run(flat_, {1000, 0, 0.5}, seed).size(); };
  EXPECT_FALSE(same_bytes(run(flat_, {1000, 0, 0}, 1), run(flat_, {1000, 0, 0}, 2)));
  EXPECT_NE(run(flat_, {1000, 0.002, 0}, 1)[0].z(), run(flat_, {1000, 0.002, 0}, 2)[0].z());
  EXPECT_FALSE(survivors(1) == survivors(2) && survivors(2) == survivors(3) && survivors(3) == survivors(4));
}

// Seeds that differ in one bit give unrelated points: their noise is uncorrelated.
TEST_F(Simulated, NoiseOfNeighbouringSeedsIsUncorrelated) {
  const auto a = run(flat_, {100000, 0.001, 0}, 42);
  const auto b = run(flat_, {100000, 0.001, 0}, 43);
  double product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) product += (a[i].z() - 1.178) * (b[i].z() - 1.178) / 1e-6;
  EXPECT_NEAR(product / 1e5, 0, 4 / std::sqrt(1e5));
}

TEST_F(Simulated, ReconstructionIsACloudAlone) {
  const Reconstruction result =
      simulate(flat_.truth, {Parameters(simulated_parameters(kLightglueLike)), 1, "cpu"});
  EXPECT_TRUE(result.cloud.normals.empty());
  EXPECT_TRUE(result.cloud.confidence.empty());
  EXPECT_FALSE(result.mesh.has_value());
  EXPECT_TRUE(result.depth_maps.empty());
}

}  // namespace
}  // namespace aqbench
