#include "core/drawing/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace aqbench {
namespace {

// Relative luminance of a colour (sRGB, IEC 61966-2-1).
double luminance(Rgb8 colour) {
  const auto linear = [](std::uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
}

TEST(ColourMap, StepsAreNearestAndEndAtTheEnds) {
  EXPECT_EQ(colour_step(-3), 0);
  EXPECT_EQ(colour_step(0), 0);
  EXPECT_EQ(colour_step(0.5), kColourSteps / 2);
  EXPECT_EQ(colour_step(1), kColourSteps - 1);
  EXPECT_EQ(colour_step(7), kColourSteps - 1);
  EXPECT_EQ(colour_step(1.4 / (kColourSteps - 1)), 1);
  EXPECT_EQ(colour_step(1.6 / (kColourSteps - 1)), 2);
}

TEST(ColourMap, ColoursDifferAndNoneIsThatOfAnAbsentValue) {
  std::set<std::string> seen = {hex_of(kNoValueColour), hex_of(kNoTruthColour)};
  for (int step = 0; step < kColourSteps; ++step) {
    EXPECT_TRUE(seen.insert(hex_of(sequential_colour(step))).second) << step;
    EXPECT_TRUE(seen.insert(hex_of(diverging_colour(step))).second) << step;
  }
}

TEST(ColourMap, SequentialGetsBrighterAndDivergingIsBrightestAtZero) {
  for (int step = 1; step < kColourSteps; ++step)
    EXPECT_GT(luminance(sequential_colour(step)), luminance(sequential_colour(step - 1))) << step;
  const int zero = kColourSteps / 2;
  EXPECT_EQ(hex_of(diverging_colour(zero)), "#f7f7f7");
  for (int step = 0; step < zero; ++step) {
    EXPECT_LT(luminance(diverging_colour(step)), luminance(diverging_colour(step + 1)));
    EXPECT_GT(diverging_colour(step).b, diverging_colour(step).r) << "blue below zero";
    EXPECT_GT(diverging_colour(kColourSteps - 1 - step).r, diverging_colour(kColourSteps - 1 - step).b);
  }
}

TEST(RoundUp125, IsNotBelowAndNotFarAbove) {
  EXPECT_DOUBLE_EQ(round_up_125(1), 1);
  EXPECT_DOUBLE_EQ(round_up_125(1.01), 2);
  EXPECT_DOUBLE_EQ(round_up_125(2.3), 5);
  EXPECT_DOUBLE_EQ(round_up_125(0.0501), 0.1);
  EXPECT_DOUBLE_EQ(round_up_125(51), 100);
}

}  // namespace
}  // namespace aqbench
