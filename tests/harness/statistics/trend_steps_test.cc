#include "harness/statistics/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace aqbench {
namespace {

using Values = std::vector<double>;

// A stationary autoregressive series of order 1 around 100.
Values stationary(std::mt19937_64& generator, std::size_t size, double cv, double correlation) {
  std::normal_distribution<double> normal;
  Values values(size);
  double state = normal(generator);
  for (double& value : values) {
    value = 100 * (1 + cv * state);
    state = correlation * state + std::sqrt(1 - correlation * correlation) * normal(generator);
  }
  return values;
}

std::vector<std::size_t> step_indices(const Values& history) {
  std::vector<std::size_t> indices;
  for (const ChangePoint& step : detect_steps(history)) indices.push_back(step.index);
  return indices;
}

using Steps = std::vector<std::size_t>;

TEST(TrendSteps, BitEqualValuesShowEveryChangeAlsoOneThatIsTakenBack) {
  EXPECT_EQ(step_indices({2, 2, 2, 2.001, 2, 2}), (Steps{3, 4}));
  EXPECT_EQ(step_indices({1, 1, 1, 1, 1.3}), (Steps{4}));
  const auto steps = detect_steps(Values{4, 4, 5, 5});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].level.p, 0);
  EXPECT_DOUBLE_EQ(steps[0].level.change.value(), 0.25);
  EXPECT_TRUE(step_indices(Values(30, 1.5)).empty());
  EXPECT_TRUE(step_indices({1, 2}).empty());  // nothing says that they do not vary
  EXPECT_TRUE(step_indices({}).empty());
  EXPECT_FALSE(is_bit_equal(Values{1, 2, 3, 3}));
}

// Of 1000 stationary series, how many show a step.
int false_alarms_of(double cv, double correlation) {
  std::mt19937_64 generator(7);
  int false_alarms = 0;
  for (int i = 0; i < 1000; ++i)
    if (!step_indices(stationary(generator, 60, cv, correlation)).empty()) ++false_alarms;
  return false_alarms;
}

TEST(TrendSteps, AtMostOneOfAThousandStationarySeriesShowsAStep) {
  for (const double correlation : {0.0, 0.3, 0.6})
    EXPECT_LE(false_alarms_of(0.011, correlation), 1) << correlation;
}

// What docs/guide.md says of noise that is as large as the least step.
TEST(TrendSteps, NoisySeriesThatWanderShowMore) {
  const int false_alarms = false_alarms_of(0.03, 0.6);
  EXPECT_GT(false_alarms, 5);
  EXPECT_LE(false_alarms, 30);
}

TEST(TrendSteps, FivePercentAreFoundWithinTenRuns) {
  for (const double correlation : {0.0, 0.3, 0.6}) {
    std::mt19937_64 generator(9);
    int found = 0;
    for (int i = 0; i < 300; ++i) {
      Values history = stationary(generator, 40, 0.011, correlation);
      for (std::size_t k = 30; k < 40; ++k) history[k] *= 1.05;
      for (const std::size_t index : step_indices(history))
        if (index >= 28 && index <= 32) {
          ++found;
          break;
        }
    }
    EXPECT_GE(found, 285) << correlation;
  }
}

// Values by NumPy: (1 - 0.5 L) applied to y, to a level and to a step, the first row scaled by sqrt(0.75),
// then numpy.linalg.lstsq; the autocorrelation of these values is below what counts at least, 0.5.
TEST(TrendSteps, PIsThatOfGeneralisedLeastSquares) {
  const Values history = {100, 101, 99, 102, 98, 100, 101, 99, 106, 107, 105, 108, 104, 106, 107, 105};
  TrendStepOptions options;
  options.least_autocorrelation = 0.5;
  options.max_p = 0.01;
  const auto steps = detect_steps(history, options);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].index, 8u);
  EXPECT_NEAR(steps[0].level.p, 0.0006064514424, 1e-9);
}

// Of an endless series it would be the coefficient itself.
TEST(TrendSteps, TheAutocorrelationIsThatOfTheSeriesAroundItsLevels) {
  std::mt19937_64 generator(3);
  Values history = stationary(generator, 4000, 0.01, 0.6);
  EXPECT_NEAR(autocorrelation_of(history, {}, 0), 0.6, 0.03);
  for (std::size_t k = 2000; k < 4000; ++k) history[k] *= 1.2;
  ChangePoint step;
  step.index = 2000;
  EXPECT_NEAR(autocorrelation_of(history, std::vector{step}, 0), 0.6, 0.03);
  EXPECT_EQ(autocorrelation_of(stationary(generator, 4000, 0.01, 0), {}, 0.3), 0.3);
}

}  // namespace
}  // namespace aqbench
