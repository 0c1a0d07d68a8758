#include "harness/statistics/clock_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

TEST(ClockStep, IsTheLargestOneOfWhichAllValuesAreMultiples) {
  EXPECT_DOUBLE_EQ(clock_step(Values{2, 3, 4, 2}).value(), 1);
  EXPECT_DOUBLE_EQ(clock_step(Values{4, 6, 10}).value(), 2);
  EXPECT_DOUBLE_EQ(clock_step(Values{2, 2, 2}).value(), 2);  // whatever they are, they were not told apart
  EXPECT_NEAR(clock_step(Values{10.1, 10.2, 10.4}).value(), 0.1, 1e-9);
  EXPECT_NEAR(clock_step(Values{24.137, 24.552, 25.001}).value(), 0.001, 1e-10);
}

TEST(ClockStep, RoundingOfTheValuesDoesNotHideIt) {
  for (const double step : {0.0004, 0.01, 0.05, 0.25, 0.5})
    for (std::uint64_t draw = 0; draw < 50; ++draw) {
      Values values = normal_sample(draw, 120, 71);
      const Values noise = normal_sample(draw, 120, 72);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = step * std::max(1.0, std::round((1 + 0.05 * values[i]) / step)) * (1 + 1e-13 * noise[i]);
      const double found = clock_step(values).value_or(0);
      EXPECT_NEAR(found / step, std::round(found / step), 1e-6) << step;
      EXPECT_GE(found, step * (1 - 1e-6));
    }
}

TEST(ClockStep, AFineClockHasNone) {
  EXPECT_FALSE(clock_step(Values{}));
  EXPECT_FALSE(clock_step(Values{1.2345678, 1.3456789}));  // 1e-7 of the values: nothing
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    Values values = normal_sample(draw, 24, 73);
    for (double& value : values) value = std::exp(0.01 * value);
    EXPECT_FALSE(clock_step(values)) << draw;
  }
}

}  // namespace
}  // namespace aqbench
