// Samples of the surfaces: uniform over area, stratified, the same for any split of the work.

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "scenes/surfaces/shapes.h"
#include "tests/core/on_threads.h"
#include "tests/scenes/surfaces/known_fields.h"

namespace aqbench {
namespace {

using surface_testing::known_fields;

constexpr int kColumns = 12, kRows = 8;

int bin_of(const Vec3& p) {
  const int column = std::min(kColumns - 1, static_cast<int>((p.x() + 0.25) / 0.5 * kColumns));
  const int row = std::min(kRows - 1, static_cast<int>((p.y() + 0.15) / 0.3 * kRows));
  return row * kColumns + column;
}

// The share of the surface's area over each bin, by the midpoint rule.
std::vector<double> area_shares(const HeightField& field) {
  constexpr int kFine = 60;
  std::vector<double> share(kColumns * kRows);
  double total = 0;
  for (int row = 0; row < kRows * kFine; ++row) {
    for (int column = 0; column < kColumns * kFine; ++column) {
      const HeightJet j = field.jet(-0.25 + 0.5 * (column + 0.5) / (kColumns * kFine),
                                    -0.15 + 0.3 * (row + 0.5) / (kRows * kFine));
      const double factor = std::sqrt(1 + j.fx * j.fx + j.fy * j.fy);
      share[static_cast<std::size_t>(row / kFine * kColumns + column / kFine)] += factor;
      total += factor;
    }
  }
  for (double& s : share) s /= total;
  return share;
}

TEST(SamplePositions, AreUniformOverTheArea) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const std::vector<double> share = area_shares(*field);
    std::vector<Vec3> positions(200000);
    field->sample_positions(11, 0, positions);
    std::vector<double> count(share.size());
    for (const Vec3& p : positions) {
      ASSERT_TRUE(field->patch()->contains(p.x(), p.y()));
      ASSERT_NEAR(p.z(), field->jet(p.x(), p.y()).z, 1e-14);
      ++count[static_cast<std::size_t>(bin_of(p))];
    }
    double chi_square = 0;
    for (std::size_t i = 0; i < share.size(); ++i) {
      const double expected = share[i] * static_cast<double>(positions.size());
      chi_square += (count[i] - expected) * (count[i] - expected) / expected;
    }
    const double freedom = static_cast<double>(share.size()) - 1;
    EXPECT_NEAR(chi_square, freedom, 4 * std::sqrt(2 * freedom));
  }
}

TEST(SamplePositions, DependOnSeedAndIndexAlone) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    std::vector<Vec3> together(1000), apart(1000);
    field->sample_positions(3, 500, together);
    for (std::size_t begin = 0; begin < apart.size(); begin += 37)
      field->sample_positions(
          3, 500 + begin, std::span(apart).subspan(begin, std::min<std::size_t>(37, apart.size() - begin)));
    EXPECT_EQ(together, apart);
    field->sample_positions(4, 500, apart);
    EXPECT_NE(together, apart);
  }
}

TEST(StratifiedSamples, AreAsManyAsAskedForAndWeighTheArea) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    for (const double spacing : {0.002, 0.002 / 3, 0.05, 10.0}) {
      const SurfaceSamples samples = field->stratified_samples(spacing, 1);
      ASSERT_EQ(samples.positions_m.size(), samples.weights.size());
      EXPECT_EQ(samples.spacing_m, spacing);
      double sum = 0;
      for (const double weight : samples.weights) {
        ASSERT_GT(weight, 0);
        sum += weight;
      }
      EXPECT_NEAR(sum, field->area_m2(), 1e-11);
      for (const Vec3& p : samples.positions_m) {
        ASSERT_TRUE(field->patch()->contains(p.x(), p.y()));
        ASSERT_NEAR(p.z(), field->jet(p.x(), p.y()).z, 1e-14);
      }
      if (spacing > 0.01) continue;
      const double wanted = field->area_m2() / (spacing * spacing);
      EXPECT_NEAR(static_cast<double>(samples.positions_m.size()), wanted, 0.01 * wanted);
    }
  }
  EXPECT_THROW(make_plane({}, {})->stratified_samples(0, 1), Error);
  EXPECT_THROW(make_plane({}, {})->stratified_samples(1e-6, 1), Error);
}

// Weighted counts agree with areas far better than those of independent samples would.
TEST(StratifiedSamples, CoverTheAreaEvenly) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const std::vector<double> share = area_shares(*field);
    const SurfaceSamples samples = field->stratified_samples(0.001, 5);
    std::vector<double> weight(share.size()), count(share.size());
    for (std::size_t i = 0; i < samples.weights.size(); ++i) {
      weight[static_cast<std::size_t>(bin_of(samples.positions_m[i]))] += samples.weights[i];
      count[static_cast<std::size_t>(bin_of(samples.positions_m[i]))] += 1;
    }
    for (std::size_t i = 0; i < share.size(); ++i) {
      // A bin's edge of some 160 samples cuts cells of which each falls in or out: sd about sqrt(160 / 6).
      const double expected = share[i] * static_cast<double>(samples.weights.size());
      EXPECT_NEAR(count[i], expected, 5 * std::sqrt(170.0 / 6) + 0.004 * expected);
      EXPECT_NEAR(weight[i] / field->area_m2() * static_cast<double>(samples.weights.size()), expected,
                  5 * std::sqrt(170.0 / 6));
    }
  }
}

// An integral over the area, estimated without bias: over seeds the mean error is 0 within 4 standard errors.
TEST(StratifiedSamples, EstimateWithoutBias) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const auto integrand = [](const Vec3& p) { return std::sin(40 * p.x()) * (p.y() + 0.2) + p.z(); };
    double exact = 0;
    constexpr int kFine = 1500;
    for (int i = 0; i < kFine; ++i) {
      for (int j = 0; j < kFine; ++j) {
        const double x = -0.25 + 0.5 * (i + 0.5) / kFine, y = -0.15 + 0.3 * (j + 0.5) / kFine;
        const HeightJet jet = field->jet(x, y);
        exact += std::sqrt(1 + jet.fx * jet.fx + jet.fy * jet.fy) * integrand({x, y, jet.z});
      }
    }
    exact *= 0.15 / (kFine * kFine);
    double sum = 0, squares = 0;
    constexpr int kSeeds = 40;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const SurfaceSamples samples = field->stratified_samples(0.01, seed);
      double estimate = 0;
      for (std::size_t i = 0; i < samples.weights.size(); ++i)
        estimate += samples.weights[i] * integrand(samples.positions_m[i]);
      sum += estimate - exact;
      squares += (estimate - exact) * (estimate - exact);
    }
    const double mean = sum / kSeeds, deviation = std::sqrt(squares / kSeeds - mean * mean);
    EXPECT_NEAR(mean, 0, 4 * deviation / std::sqrt(kSeeds) + 2e-7);
    EXPECT_LT(deviation, 1e-3 * std::abs(exact));
  }
}

TEST(StratifiedSamples, AreTheSameForAnyThreadCountAndInSpatialOrder) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const auto [one, three] = on_threads<1, 3>([&] { return field->stratified_samples(0.002, 9); });
    EXPECT_EQ(one.positions_m, three.positions_m);
    EXPECT_EQ(one.weights, three.weights);
    EXPECT_NE(one.positions_m, field->stratified_samples(0.002, 10).positions_m);
    double steps = 0;
    for (std::size_t i = 1; i < one.positions_m.size(); ++i)
      steps += (one.positions_m[i] - one.positions_m[i - 1]).norm();
    EXPECT_LT(steps / static_cast<double>(one.positions_m.size()), 1.5 * 0.002);
  }
}

}  // namespace
}  // namespace aqbench
