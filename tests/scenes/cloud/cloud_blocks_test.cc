#include "scenes/cloud/cloud_blocks.h"

#include <gtest/gtest.h>

#include <limits>

namespace aqbench {
namespace {

// At 4.5e6 the neighbours of a number of 32 bits are 0.5 away: 2^22 is below, and it has 23 bits behind the
// first.
TEST(CoordinateSteps, AreThoseOfNumbersOf32Bits) {
  std::vector<Vec3> points_m;
  for (int i = 0; i < 100; ++i) points_m.emplace_back(500'000.125 + i * 0.03125, 4'500'000.5 - i, 12.25);
  points_m.emplace_back(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  const CoordinateSteps steps = coordinate_steps(SpanBlocks(points_m));
  EXPECT_EQ(steps.largest_m, 4'500'000.5);
  EXPECT_EQ(steps.float_step_m, 0.5);
  std::vector<Vec3> in_mm = points_m;
  for (Vec3& point : in_mm) point *= 1e-3;
  EXPECT_NEAR(coordinate_steps(SpanBlocks(in_mm), 1e-3).float_step_m, 0.5e-3, 1e-15)
      << "a file in millimetres";
  points_m[7].x() += 1e-4;
  EXPECT_EQ(coordinate_steps(SpanBlocks(points_m)).float_step_m, 0) << "numbers of 64 bits";
}

TEST(CoordinateSteps, WholeNumbersAreNotTakenForRoundedOnes) {
  const std::vector<Vec3> points_m = {{500'000, 4'500'000, 12}, {500'001, 4'500'003, 13}};
  EXPECT_EQ(coordinate_steps(SpanBlocks(points_m)).float_step_m, 0);
  EXPECT_EQ(coordinate_steps(SpanBlocks({})).largest_m, 0);
}

}  // namespace
}  // namespace aqbench
