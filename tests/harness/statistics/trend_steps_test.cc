#include "harness/statistics/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/core/error_matcher.h"

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
int false_alarms_of(double cv, double correlation, std::size_t size = 60) {
  std::mt19937_64 generator(7);
  int false_alarms = 0;
  for (int i = 0; i < 1000; ++i)
    if (!step_indices(stationary(generator, size, cv, correlation)).empty()) ++false_alarms;
  return false_alarms;
}

// The table of docs/guide.md, in series of 1000: noise of 5 %, far above the least step, so that p alone
// counts.
TEST(TrendSteps, FalseStepsByLengthAndAutocorrelation) {
  struct Row {
    std::size_t runs;
    int independent, correlated, strongly;  // at most, with an autocorrelation of 0, 0.3 and 0.6
  };
  for (const Row& row : {Row{8, 5, 5, 20}, Row{16, 5, 5, 40}, Row{30, 5, 10, 40}, Row{60, 5, 5, 30}}) {
    EXPECT_LE(false_alarms_of(0.05, 0, row.runs), row.independent) << row.runs;
    EXPECT_LE(false_alarms_of(0.05, 0.3, row.runs), row.correlated) << row.runs;
    EXPECT_LE(false_alarms_of(0.05, 0.6, row.runs), row.strongly) << row.runs;
  }
}

// Of 500 histories of 16 runs with levels of 6, 5 and 5, how many show both steps where they are and no
// other.
int found_of(double cv, double first, double second) {
  std::mt19937_64 generator(3);
  int found = 0;
  for (int i = 0; i < 500; ++i) {
    Values history = stationary(generator, 16, cv, 0.1);
    for (std::size_t k = 6; k < 16; ++k) history[k] *= k < 11 ? first : first * second;
    found += step_indices(history) == Steps{6, 11} ? 1 : 0;
  }
  return found;
}

TEST(TrendSteps, TwoStepsInSixteenRunsAreFoundAtTheirRuns) {
  EXPECT_GE(found_of(0.011, 1.10, 1.265), 490);
  EXPECT_GE(found_of(0.02, 1.10, 1.265), 400);
  EXPECT_GE(found_of(0.02, 1.265, 1.10), 390);
  EXPECT_GE(found_of(0.03, 1.10, 1.265), 125);
  EXPECT_GE(found_of(0.04, 1.25, 1.28), 450);  // the spread of all levels tells, each alone is too short
  EXPECT_GE(found_of(0.02, 1.265, 1 / 1.265), 490);  // up and down again: no split explains both
}

// CPU times of BM_tiles/1000 on two processors at a load of 15, medians of three repetitions, to which steps
// of 26.5 and 10 % were added.
TEST(TrendSteps, AStepOfAQuarterIsFoundInCpuTimesOfABusyMachine) {
  Values history = {9.124, 8.575, 8.346, 8.311, 9.109, 8.455, 8.288, 8.538,
                    8.268, 8.200, 9.365, 9.503, 8.039, 8.035, 8.225, 8.310};
  EXPECT_TRUE(step_indices(history).empty());
  for (std::size_t k = 6; k < 16; ++k) history[k] *= 1.265;
  EXPECT_EQ(step_indices(history), Steps{6});
}

// Others of these times, with steps of 25 and 28 %: the noise of the last level is larger, as its times are.
// Values of p by NumPy as below, of logarithms with an autocorrelation of 0.3.
TEST(TrendSteps, TwoStepsAreFoundInCpuTimesOfABusyMachine) {
  const auto steps = detect_steps(Values{8.26, 9.12, 8.88, 8.58, 8.97, 8.35, 10.39, 11.24, 11.39, 10.92,
                                         10.57, 13.26, 13.26, 15.2, 15.72, 13.66});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].index, 6u);
  EXPECT_EQ(steps[1].index, 11u);
  EXPECT_NEAR(steps[0].level.p, 1.11541671085e-4, 1e-12);
  EXPECT_NEAR(steps[1].level.p, 5.82823392472e-5, 1e-12);
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

TEST(TrendSteps, ComparesWithAPinnedRelease) {
  std::mt19937_64 generator(5);
  Values history = stationary(generator, 120, 0.002, 0);
  for (std::size_t k = 40; k < 120; ++k) history[k] *= k < 80 ? 1.1 : 1.01;
  const auto steps = detect_steps(history);
  ASSERT_EQ(steps.size(), 2u);
  const PinnedComparison first = compare_with_pinned(history, steps, 10);
  EXPECT_EQ(first.pinned_begin, 0u);
  EXPECT_EQ(first.pinned_end, 40u);
  EXPECT_EQ(first.newest_begin, 80u);
  EXPECT_NEAR(first.level.change.value(), 0.01, 0.002);
  EXPECT_FALSE(first.changed);  // significant, but below 3 %
  EXPECT_LT(first.level.p, 1e-4);
  const PinnedComparison second = compare_with_pinned(history, steps, 60);
  EXPECT_EQ(second.pinned_begin, 40u);
  EXPECT_EQ(second.pinned_end, 80u);
  EXPECT_TRUE(second.changed);
  EXPECT_NEAR(second.level.change.value(), 1.01 / 1.1 - 1, 0.003);
  const PinnedComparison same = compare_with_pinned(history, steps, 100);
  EXPECT_EQ(same.level.change, 0);
  EXPECT_EQ(same.level.p, 1);
  EXPECT_FALSE(same.changed);
}

TEST(TrendSteps, LevelsWithoutSpreadOrMean) {
  EXPECT_EQ(compare_levels(Values{1}, Values{2}).p, 1);  // nothing to judge the spread by
  EXPECT_EQ(compare_levels(Values{1, 1}, Values{2, 2}).p, 0);
  EXPECT_EQ(compare_levels(Values{1, 1}, Values{1, 1}).p, 1);
  const LevelChange from_zero = compare_levels(Values{0, 0}, Values{1, 1.5});
  EXPECT_FALSE(from_zero.change);
  EXPECT_EQ(from_zero.magnitude, std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(compare_levels(Values{100, 100}, Values{80, 80}).magnitude, 0.25);
}

TEST(TrendSteps, AValueThatIsNotFiniteIsNamed) {
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       detect_steps(Values{1, 2, std::nan(""), 3});
                     }),
            "history[2] is nan, must be finite");
}

}  // namespace
}  // namespace aqbench
