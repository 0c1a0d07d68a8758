#include "harness/statistics/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

struct Step {
  std::size_t index;
  double level;
};

// Levels from steps, with noise of the given sd relative to the level.
Values history_of(std::size_t size, const std::vector<Step>& steps, double cv, std::uint64_t draw,
                  bool heavy = false) {
  Values history = heavy ? heavy_tailed_sample(draw, size, 71) : normal_sample(draw, size, 72);
  double level = 100;
  std::size_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (next < steps.size() && i == steps[next].index) level = steps[next++].level;
    history[i] = level * (1 + cv * history[i]);
  }
  return history;
}

std::vector<std::size_t> indices_of(const Values& history, const ChangePointOptions& options = {}) {
  std::vector<std::size_t> indices;
  for (const ChangePoint& point : detect_change_points(history, options)) indices.push_back(point.index);
  return indices;
}

using Indices = std::vector<std::size_t>;

TEST(ChangePoints, ExactStepsWithoutNoise) {
  EXPECT_EQ(indices_of(history_of(40, {{17, 110}}, 0, 1)), Indices{17});
  EXPECT_EQ(indices_of(history_of(100, {{30, 120}, {65, 90}}, 0, 1)), (Indices{30, 65}));
  EXPECT_EQ(indices_of(history_of(300, {{30, 120}, {149, 90}, {290, 100}}, 0, 1)), (Indices{30, 149, 290}));
  const auto points = detect_change_points(history_of(40, {{17, 110}}, 0, 1));
  EXPECT_DOUBLE_EQ(points[0].level.mean_before, 100);
  EXPECT_DOUBLE_EQ(points[0].level.mean_after, 110);
  EXPECT_DOUBLE_EQ(points[0].level.change.value(), 0.1);
  EXPECT_EQ(points[0].level.p, 0);
}

TEST(ChangePoints, ConstantAndShortHistoriesHaveNone) {
  EXPECT_TRUE(indices_of(Values(200, 0.1)).empty());
  EXPECT_TRUE(indices_of({}).empty());
  EXPECT_TRUE(indices_of({1}).empty());
  EXPECT_TRUE(indices_of({1, 2, 3}).empty());
}

TEST(ChangePoints, FindsOneStep) {
  int exact = 0;
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    const Indices found = indices_of(history_of(60, {{35, 108}}, 0.015, draw));
    ASSERT_EQ(found.size(), 1u) << draw;
    EXPECT_NEAR(static_cast<double>(found[0]), 35, 2);
    if (found[0] == 35) ++exact;
  }
  EXPECT_GE(exact, 90);
}

// Matteson and James's statistic as it stands in the paper, for one split.
double energy_distance(const Values& x, std::size_t split) {
  double across = 0, left = 0, right = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      (j < split ? left : i >= split ? right : across) += std::abs(x[i] - x[j]);
  const auto m = static_cast<double>(split), n = static_cast<double>(x.size() - split);
  return m * n / (m + n) * (2 / (m * n) * across - left / (m * (m - 1) / 2) - right / (n * (n - 1) / 2));
}

TEST(ChangePoints, SplitsWhereTheEnergyDistanceIsLargest) {
  int compared = 0;
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    const Values history = history_of(50, {{5 + 2 * (draw % 20), 108}}, 0.04, draw);
    const Indices found = indices_of(history);
    if (found.size() != 1) continue;
    std::size_t best = 2;
    for (std::size_t split = 3; split <= 48; ++split)
      if (energy_distance(history, split) > energy_distance(history, best)) best = split;
    EXPECT_EQ(found[0], best) << draw;
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

TEST(ChangePoints, FindsTwoStepsAndTheirDirections) {
  int both = 0;
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    const auto points = detect_change_points(history_of(120, {{40, 110}, {80, 100}}, 0.015, draw));
    if (points.size() != 2) continue;
    ++both;
    EXPECT_NEAR(static_cast<double>(points[0].index), 40, 2);
    EXPECT_NEAR(static_cast<double>(points[1].index), 80, 2);
    EXPECT_NEAR(points[0].level.change.value(), 0.10, 0.02);
    EXPECT_NEAR(points[1].level.change.value(), -0.09, 0.02);
    EXPECT_LE(points[0].level.p, 0.001);
  }
  EXPECT_GE(both, 98);
}

TEST(ChangePoints, FewFalseAlarms) {
  const auto alarms = [](double cv, bool heavy) {
    int series = 0;
    for (std::uint64_t draw = 0; draw < 300; ++draw)
      if (!indices_of(history_of(100, {}, cv, draw, heavy)).empty()) ++series;
    return series;
  };
  EXPECT_EQ(alarms(0.011, false), 0);
  EXPECT_LE(alarms(0.03, false), 9);  // 3 %
  EXPECT_LE(alarms(0.005, true), 9);
}

TEST(ChangePoints, SmallChangesAreLeftToTheReader) {
  EXPECT_TRUE(indices_of(history_of(60, {{30, 103}}, 0.002, 1)).empty());
  ChangePointOptions fine;
  fine.min_change = 0.01;
  EXPECT_EQ(indices_of(history_of(60, {{30, 103}}, 0.002, 1), fine), Indices{30});
}

TEST(ChangePoints, OneOutlierIsNoChange) {
  Values history = history_of(60, {}, 0.01, 3);
  history.back() = 150;
  EXPECT_TRUE(indices_of(history).empty());
  history = history_of(60, {}, 0.01, 3);
  history[30] = 150;
  EXPECT_TRUE(indices_of(history).empty());
}

// Hunter's own test series (tests/analysis_test.py of datastax-labs/hunter).
TEST(ChangePoints, HuntersExample) {
  const Values series = {1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
                         0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49};
  ChangePointOptions options;
  options.window = 10;
  options.max_p = 0.0001;
  options.candidate_p = 0.001;
  EXPECT_EQ(indices_of(series, options), Indices{10});
}

TEST(ChangePoints, ComparesWithAPinnedRelease) {
  const Values history = history_of(120, {{40, 110}, {80, 101}}, 0.002, 5);
  const auto points = detect_change_points(history);
  ASSERT_EQ(points.size(), 2u);
  const PinnedComparison first = compare_with_pinned(history, points, 10);
  EXPECT_EQ(first.pinned_begin, 0u);
  EXPECT_EQ(first.pinned_end, 40u);
  EXPECT_EQ(first.newest_begin, 80u);
  EXPECT_NEAR(first.level.change.value(), 0.01, 0.002);
  EXPECT_FALSE(first.changed);  // significant, but below 5 %
  EXPECT_LT(first.level.p, 0.001);
  const PinnedComparison second = compare_with_pinned(history, points, 60);
  EXPECT_EQ(second.pinned_begin, 40u);
  EXPECT_EQ(second.pinned_end, 80u);
  EXPECT_TRUE(second.changed);
  EXPECT_NEAR(second.level.change.value(), 101.0 / 110 - 1, 0.003);
  const PinnedComparison same = compare_with_pinned(history, points, 100);
  EXPECT_EQ(same.level.change, 0);
  EXPECT_EQ(same.level.p, 1);
  EXPECT_FALSE(same.changed);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { compare_with_pinned(history, points, 120); }),
            "pinned is 120, but history has 120 values");
}

TEST(ChangePoints, LevelsWithoutSpreadOrMean) {
  EXPECT_EQ(compare_levels(Values{1}, Values{2}).p, 1);  // nothing to judge the spread by
  EXPECT_EQ(compare_levels(Values{1, 1}, Values{2, 2}).p, 0);
  EXPECT_EQ(compare_levels(Values{1, 1}, Values{1, 1}).p, 1);
  const LevelChange from_zero = compare_levels(Values{0, 0}, Values{1, 1.5});
  EXPECT_FALSE(from_zero.change);
  EXPECT_EQ(from_zero.magnitude, std::numeric_limits<double>::infinity());
  EXPECT_EQ(compare_levels(Values{-2, -2.1}, Values{-2, -2.1}).magnitude, 0);
  EXPECT_DOUBLE_EQ(compare_levels(Values{100, 100}, Values{80, 80}).magnitude, 0.25);
}

TEST(ChangePoints, RefusesBadInput) {
  EXPECT_EQ(error_of(ErrorKind::input,
                     [] {
                       detect_change_points(Values{1, 2, std::nan(""), 3});
                     }),
            "history[2] is nan, must be finite");
  const auto message = [](auto change) {
    ChangePointOptions options;
    change(options);
    return error_of(ErrorKind::usage, [&] { check(options); });
  };
  EXPECT_EQ(message([](auto& o) { o.window = 3; }), "window is 3, must be at least 4");
  EXPECT_EQ(message([](auto& o) { o.min_segment = 1; }), "min_segment is 1, must be at least 2");
  EXPECT_EQ(message([](auto& o) { o.max_p = 0.02; }), "max_p is 0.02, must be at most 0.01");
  EXPECT_EQ(message([](auto& o) { o.min_change = -1; }), "min_change is -1, must be at least 0");
}

}  // namespace
}  // namespace aqbench
