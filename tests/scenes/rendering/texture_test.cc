#include "scenes/rendering/texture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

const Texture& standard_texture() {
  static const Texture texture({}, 42);
  return texture;
}

// Mean power of waves of one frequency along a line, windowed so that leakage does not hide the band's edge.
double power_at(const Texture& texture, double cycles_per_m) {
  constexpr int kSamples = 4000;
  constexpr double kStep_m = 1e-4;
  double power = 0;
  for (int line = 0; line < 12; ++line) {
    std::complex<double> sum = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double s = (i + 0.5) / kSamples, along_m = i * kStep_m;
      const double window = std::pow(std::sin(std::numbers::pi * s), 4);
      const double angle = 0.5 * line;
      const double value =
          texture.at(along_m * std::cos(angle) + 0.03 * line, along_m * std::sin(angle) - 0.05 * line) - 0.5;
      sum += window * value * std::polar(1.0, -2 * std::numbers::pi * cycles_per_m * along_m);
    }
    power += std::norm(sum);
  }
  return power / 12;
}

TEST(Texture, MeanAndContrastAreAsAskedFor) {
  for (const double contrast : {0.15, 0.03}) {
    TextureOptions options;
    options.rms_contrast = contrast;
    const Texture texture(options, 3);
    double sum = 0, squares = 0;
    constexpr int kSide = 400;
    for (int j = 0; j < kSide; ++j) {
      for (int i = 0; i < kSide; ++i) {
        const double value = texture.at(-0.5 + 1.0 * i / kSide, -0.4 + 0.8 * j / kSide);
        sum += value;
        squares += value * value;
      }
    }
    const double mean = sum / (kSide * kSide);
    EXPECT_NEAR(mean, 0.5, 0.01 * contrast);
    EXPECT_NEAR(std::sqrt(squares / (kSide * kSide) - mean * mean), contrast, 0.02 * contrast);
  }
}

TEST(Texture, ZeroContrastIsUniform) {
  TextureOptions options;
  options.rms_contrast = 0;
  EXPECT_EQ(Texture(options, 3).at(0.123, -4.5), 0.5);
}

TEST(Texture, TheSpectrumLiesInTheBand) {
  const Texture& texture = standard_texture();
  const double inside = power_at(texture, 200);
  EXPECT_GT(power_at(texture, 70), 0.2 * inside);
  EXPECT_GT(power_at(texture, 700), 0.002 * inside);
  // A line through an isotropic field also sees waves that run obliquely to it: below the band's lower edge
  // there is power, above its upper edge none.
  for (const double cycles_per_m : {1100.0, 1500.0, 2000.0, 3000.0, 4000.0})
    EXPECT_LT(power_at(texture, cycles_per_m), 2e-4 * inside) << cycles_per_m;
}

TEST(Texture, LongerWavesThanTheBandAreAbsent) {
  // The mean over a disc wider than the longest wave all but vanishes.
  const Texture& texture = standard_texture();
  double squares = 0;
  constexpr int kDiscs = 60;
  for (int disc = 0; disc < kDiscs; ++disc) {
    double sum = 0, weight = 0;
    for (int j = -40; j <= 40; ++j) {
      for (int i = -40; i <= 40; ++i) {
        const double x = i * 1e-3, y = j * 1e-3;
        const double w = std::exp(-(x * x + y * y) / (2 * 0.012 * 0.012));
        sum += w * (texture.at(0.1 * disc + x, 0.07 * disc + y) - 0.5);
        weight += w;
      }
    }
    squares += std::pow(sum / weight, 2);
  }
  EXPECT_LT(std::sqrt(squares / kDiscs), 0.01 * 0.15);
}

// How alike the texture is to itself moved by (dx, dy): 1 where it repeats.
double likeness(const Texture& texture, double dx, double dy, int points) {
  double product = 0, squares = 0;
  for (int i = 0; i < points; ++i) {
    const double x = 0.17 * std::fmod(0.618034 * i, 1), y = 0.17 * std::fmod(0.754878 * i, 1);
    const double here = texture.at(x, y) - 0.5;
    product += here * (texture.at(x + dx, y + dy) - 0.5);
    squares += here * here;
  }
  return product / squares;
}

// Where both tiles repeat, the first one does: at distances that whole steps of its period reach, in any
// direction, since the test does not know how it is turned. A quarter of a turn has all of them.
TEST(Texture, NothingRepeatsWithinTwoMetres) {
  const Texture& texture = standard_texture();
  const double period_m = 2048 * 0.00025;
  double largest = 0;
  std::size_t of_a_tile = 0;
  for (const int steps : {1, 2, 4, 5, 8, 9, 10, 13}) {
    const double distance_m = period_m * std::sqrt(steps);
    const int directions = static_cast<int>(std::numbers::pi / 2 * distance_m / 2.5e-4);
    for (int i = 0; i < directions; ++i) {
      const double angle = std::numbers::pi / 2 * i / directions;
      const double dx = distance_m * std::cos(angle), dy = distance_m * std::sin(angle);
      if (likeness(texture, dx, dy, 60) < 0.3) continue;
      const double like = likeness(texture, dx, dy, 4000);
      largest = std::max(largest, like);
      if (like > 0.35) ++of_a_tile;
    }
  }
  EXPECT_GE(of_a_tile, 8u) << "the first tile repeats at each of these distances, or they are not its own";
  EXPECT_LT(largest, 0.65) << "both tiles repeat there";
}

TEST(Texture, IsAPureFunctionOfItsSeed) {
  const auto [alone, together] = on_threads<1, 3>([] { return Texture({}, 9); });
  const Texture other({}, 10);
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = 0.013 * i - 5, y = 3 - 0.007 * i;
    EXPECT_EQ(alone.at(x, y), together.at(x, y));
    if (alone.at(x, y) != other.at(x, y)) ++different;
  }
  EXPECT_GT(different, 990);
}

TEST(Texture, OptionsAreCheckedByName) {
  TextureOptions options;
  options.rms_contrast = -0.1;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { check(options); }), testing::HasSubstr("rms_contrast"));
  options = {};
  options.wavelength_max_m = 0.001;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { check(options); }), testing::HasSubstr("wavelength_max_m"));
}

}  // namespace
}  // namespace aqbench
