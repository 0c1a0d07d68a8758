#include "scenes/surfaces/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aqbench {
namespace {

TEST(VectorMath, HalfTurnSinesAreRightToRounding) {
  double worst = 0;
  for (int i = -200000; i <= 200000; ++i) {
    const double x = i * (std::numbers::pi / 2 / 200000);
    const auto [sine, cosine] = vector_math::sincos_half_turn(x);
    worst = std::max({worst, std::abs(sine - std::sin(x)), std::abs(cosine - std::cos(x))});
  }
  EXPECT_LT(worst, 4e-16);
}

TEST(VectorMath, SinesOfAnyAngle) {
  for (const double range : {1.0, 10.0, 1e3, 1e6}) {
    double worst = 0;
    for (int i = -100000; i <= 100000; ++i) {
      const double x = i * (range / 100000) * 0.99987;
      const auto [sine, cosine] = vector_math::sincos(x);
      worst = std::max({worst, std::abs(sine - std::sin(x)), std::abs(cosine - std::cos(x))});
    }
    EXPECT_LT(worst, 4e-16) << range;
  }
}

TEST(VectorMath, RoundsToTheNearestInteger) {
  for (const double x : {0.0, 0.49, -0.49, 0.51, 2.5, 3.5, -2.5, 1e9 + 0.3, -1e15 - 0.4})
    EXPECT_EQ(vector_math::round_to_integer(x), std::nearbyint(x)) << x;
}

}  // namespace
}  // namespace aqbench
