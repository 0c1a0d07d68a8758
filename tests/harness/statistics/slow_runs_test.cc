#include "harness/statistics/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/files.h"
#include "core/random.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

constexpr double kMargin = 0.1;

UnitRuns some_units(std::size_t usual, std::size_t slow, double factor = 2) {
  UnitRuns runs(usual, {10.0, 10.1, 9.9});
  runs.insert(runs.end(), slow, {10.0 * factor, 10.0 * factor, 10.0});
  return runs;
}

TEST(SlowRuns, AreCountedAgainstTheTypicalRunOfBothSides) {
  const SlowRuns found =
      find_slow_runs(ShiftScale::log_ratio, kMargin, some_units(40, 0), some_units(30, 10), 1);
  EXPECT_DOUBLE_EQ(found.typical, 10);
  EXPECT_DOUBLE_EQ(found.limit, 10 * std::exp(kMargin));
  EXPECT_EQ(found.a.slow_runs, 0u);
  EXPECT_EQ(found.b.slow_runs, 20u);
  EXPECT_EQ(found.b.slow_units, 10u);
  EXPECT_EQ(found.b.runs, 120u);
  EXPECT_EQ(found.b.slow_median, 20);
  EXPECT_EQ(found.b.usual_median, 10);
  EXPECT_FALSE(found.a.slow_median);
  EXPECT_NEAR(found.excess, 20.0 / 120, 1e-9);
  EXPECT_DOUBLE_EQ(found.p_more, std::ldexp(1.0, -10));  // the units are the draws, not the runs
  EXPECT_EQ(found.p_fewer, 1);
  EXPECT_TRUE(found.more());
  EXPECT_FALSE(found.fewer());
}

TEST(SlowRuns, TwoModesAreToldFromOneThatTheLimitCuts) {
  UnitRuns even;
  for (int i = 0; i < 40; ++i) even.push_back({10 + 0.1 * i});  // 10 to 13.9
  const UnitRuns two = some_units(30, 10);
  EXPECT_TRUE(find_slow_runs(ShiftScale::log_ratio, kMargin, some_units(40, 0), two, 1).b.two_modes);
  const SlowRuns cut = find_slow_runs(ShiftScale::log_ratio, kMargin, some_units(40, 0), even, 1);
  EXPECT_GT(cut.b.slow_runs, 10u);
  EXPECT_FALSE(cut.b.two_modes);
  EXPECT_FALSE(cut.a.two_modes);
}

TEST(SlowRuns, SwappingAandBSwapsMoreAndFewer) {
  const UnitRuns a = some_units(38, 2), b = some_units(31, 9);
  const SlowRuns found = find_slow_runs(ShiftScale::log_ratio, kMargin, a, b, 3);
  const SlowRuns mirror = find_slow_runs(ShiftScale::log_ratio, kMargin, b, a, 3);
  EXPECT_EQ(found.p_more, mirror.p_fewer);
  EXPECT_EQ(found.excess, -mirror.excess);
  EXPECT_EQ(found.limit, mirror.limit);
  EXPECT_DOUBLE_EQ(found.level, kSlowRunAlpha / 3);
}

TEST(SlowRuns, WhereHigherIsBetterSlowIsLow) {
  const UnitRuns a(24, {100.0}), b(24, {50.0});
  const SlowRuns found = find_slow_runs(ShiftScale::inverse_log_ratio, kMargin, a, a, 1);
  EXPECT_DOUBLE_EQ(found.limit, 100 * std::exp(-kMargin));
  UnitRuns some = a;
  for (int i = 0; i < 10; ++i) some[static_cast<std::size_t>(i)] = {50};
  EXPECT_EQ(find_slow_runs(ShiftScale::inverse_log_ratio, kMargin, a, some, 1).b.slow_runs, 10u);
  EXPECT_EQ(find_slow_runs(ShiftScale::difference, 0.5, {{-1}, {0}, {1}}, {{0}, {0}, {0.6}}, 1).b.slow_runs,
            1u);
  EXPECT_EQ(find_slow_runs(ShiftScale::distance_from_ideal, 0.5, {{-1}, {1}}, {{1}, {-1.6}}, 1).b.slow_runs,
            1u);
}

// Without a slow run half of the stake grows by 1 / 0.8 with each pair, the rest more slowly.
TEST(SlowRuns, WithoutAnyTheBoundTakesTwentyThreePairs) {
  const auto upper = [](std::size_t pairs) { return excess_upper_bound(std::vector<double>(pairs, 0.0)); };
  EXPECT_GT(upper(22), kMaxUnseenShare);
  EXPECT_LT(upper(23), kMaxUnseenShare);
  EXPECT_NEAR(upper(72), 0.0686, 1e-4);
  EXPECT_EQ(pairs_for_excess_bound(std::vector<double>(10, 0.0)), 23u);
  EXPECT_EQ(pairs_for_excess_bound(std::vector<double>(10, 0.25)), std::nullopt);
  EXPECT_LT(upper(100), upper(99));
}

// tests/data/statistics/make_slow_run_values.py says how the values were made.
TEST(SlowRuns, PAndBoundAreThoseOfSciPy) {
  const auto rows = nlohmann::json::parse(
      read_file(std::string(AQBENCH_SOURCE_DIR) + "/tests/data/statistics/slow_run_values.json"));
  ASSERT_GE(rows.size(), 12u);
  for (const auto& row : rows) {
    UnitRuns a = row.at("a").get<UnitRuns>(), b = row.at("b").get<UnitRuns>();
    for (UnitRuns* const side : {&a, &b})
      for (std::vector<double>& runs : *side)
        for (double& run : runs) run = run > 0 ? 15 : 10;
    const SlowRuns found = find_slow_runs(ShiftScale::log_ratio, kMargin, a, b, 1);
    const double p = row.at("p_more").get<double>();
    EXPECT_NEAR(found.p_more, p, 1e-11 * p);
    EXPECT_NEAR(found.excess_upper, row.at("excess_upper").get<double>(), 1e-9);
  }
}

// The bound may be too low in 1 % of all comparisons that look as often as they like, whether the mode
// belongs to the run or to the process, and whatever A does.
TEST(SlowRuns, TheBoundHoldsOverAllLooks) {
  struct Kind {
    int runs;
    double share_a, share_b;
  };
  for (const Kind& kind : {Kind{1, 0, 0.2}, {1, 0.05, 0.25}, {3, 0, 0.2}, {3, 0.3, 0.5}}) {
    int too_low = 0;
    const int draws = 1000;
    for (int draw = 0; draw < draws; ++draw) {
      std::vector<double> excess;
      bool low = false;
      for (std::uint32_t pair = 0; pair < 96 && !low; ++pair) {
        double sum = 0;
        for (int run = 0; run < kind.runs; ++run) {
          const auto u = uniform01_pair({81, RandomStream::dropout}, static_cast<std::uint64_t>(draw),
                                        pair * 8 + static_cast<std::uint32_t>(run));
          sum += (u[0] < kind.share_b) - (u[1] < kind.share_a);
        }
        excess.push_back(sum / kind.runs);
        low = excess.size() % 8 == 0 && excess_upper_bound(excess) < kind.share_b - kind.share_a;
      }
      too_low += low;
    }
    EXPECT_LE(too_low, 10) << kind.runs << " runs, " << kind.share_a << ", " << kind.share_b;
  }
}

// A run of `slow` in each of these units, the others take 10.
UnitRuns units_with(std::size_t units, std::size_t first, std::size_t count, double slow) {
  UnitRuns runs(units, {10.0, 10.1, 9.9});
  for (std::size_t i = first; i < first + count; ++i) runs[i][2] = slow;
  return runs;
}

// Both sides have 10 slow runs, and those of B are much slower: 10 against 10 beyond the limit, and 0 against
// 10 beyond 2 and 4 times the typical run. The last two count the same runs, so there are two tests.
TEST(SlowRuns, ThatAreMuchSlowerCountBeyondHigherLimits) {
  const UnitRuns a = units_with(40, 0, 10, 11.5), b = units_with(40, 10, 10, 100);
  const SlowRuns found = find_slow_runs(ShiftScale::log_ratio, kMargin, a, b, 1);
  EXPECT_EQ(found.a.slow_runs, 10u);
  EXPECT_EQ(found.b.slow_runs, 10u);
  EXPECT_DOUBLE_EQ(found.p_more, 2 * std::ldexp(1.0, -10));
  EXPECT_EQ(found.p_fewer, 1);
  EXPECT_DOUBLE_EQ(found.most_more.limit, 20);
  EXPECT_EQ(found.most_more.a, 0u);
  EXPECT_EQ(found.most_more.b, 10u);
  EXPECT_NEAR(found.excess, 10.0 / 120, 1e-9);
  const SlowRuns mirror = find_slow_runs(ShiftScale::log_ratio, kMargin, b, a, 1);
  EXPECT_EQ(mirror.p_fewer, found.p_more);
  EXPECT_DOUBLE_EQ(mirror.most_fewer.limit, 20);
  // Between 2 and 4 times there are runs of their own: three tests. Where all limits have the same runs
  // beyond them there is one.
  UnitRuns more = a;
  for (std::size_t i = 30; i < 35; ++i) more[i][1] = 30;
  EXPECT_DOUBLE_EQ(find_slow_runs(ShiftScale::log_ratio, kMargin, more, b, 1).p_more,
                   3 * std::ldexp(1.0, -10));
  EXPECT_DOUBLE_EQ(find_slow_runs(ShiftScale::log_ratio, kMargin, units_with(40, 0, 0, 0), b, 1).p_more,
                   std::ldexp(1.0, -10));
}

TEST(SlowRuns, TheBoundIsThatOfTheWorstLimit) {
  const UnitRuns a = units_with(72, 0, 30, 11.5), b = units_with(72, 20, 30, 100);
  const SlowRuns found = find_slow_runs(ShiftScale::log_ratio, kMargin, a, b, 1);
  std::vector<double> excess(72, 0.0);
  for (std::size_t i = 20; i < 50; ++i) excess[i] = 1.0 / 3;
  EXPECT_NEAR(found.excess_upper, excess_upper_bound(excess), 1e-8);
  EXPECT_GT(found.excess_upper, kMaxUnseenShare);
}

// Twice as bad is twice the error, half the completeness, twice as far from the ideal.
TEST(SlowRuns, ValuesOfAMetricHaveHigherLimits) {
  struct Kind {
    ShiftScale scale;
    double typical, margin, bad_a, bad_b, limit;
  };
  for (const Kind& kind : {Kind{ShiftScale::difference, 1, 0.05, 1.2, 20, 2},
                           {ShiftScale::inverse_difference, 96, 2, 92, 10, 48},
                           {ShiftScale::inverse_log_ratio, 96, 0.05, 80, 10, 48},
                           {ShiftScale::distance_from_ideal, 1, 0.05, -1.2, -20, 2},
                           {ShiftScale::difference, 0.001, 0.1, 0.15, 20, 0.301}}) {
    UnitRuns a(40, {kind.typical}), b = a;
    for (std::size_t i = 0; i < 8; ++i) a[i] = {kind.bad_a}, b[i + 8] = {kind.bad_b};
    const SlowRuns found = find_slow_runs(kind.scale, kind.margin, a, b, 1);
    EXPECT_DOUBLE_EQ(found.p_more, 2 * std::ldexp(1.0, -8)) << kind.limit;
    EXPECT_NEAR(found.most_more.limit, kind.limit, 1e-9);
  }
}

// Runs of both sides that are slow by the same chance and by sizes from the same range: "more" in at most 1
// %.
TEST(SlowRuns, AllLimitsTogetherKeepTheRate) {
  int more = 0;
  const int draws = 2000;
  for (int draw = 0; draw < draws; ++draw) {
    UnitRuns a, b;
    for (std::uint32_t pair = 0; pair < 60; ++pair)
      for (const bool of_b : {false, true}) {
        std::vector<double> runs;
        for (std::uint32_t run = 0; run < 3; ++run) {
          const auto u = uniform01_pair({83, RandomStream::dropout}, static_cast<std::uint64_t>(draw),
                                        pair * 8 + run * 2 + of_b);
          runs.push_back(u[0] < 0.2 ? 10 * std::exp(2 * u[1]) : 10 + 0.1 * u[1]);
        }
        (of_b ? b : a).push_back(runs);
      }
    more += find_slow_runs(ShiftScale::log_ratio, kMargin, a, b, 1).more();
  }
  EXPECT_LE(more, 33);  // 1 % of 2000 and three standard deviations
  EXPECT_GE(more, 4);
}

TEST(SlowRuns, RefusesSidesOfOtherLengths) {
  EXPECT_EQ(
      error_of(ErrorKind::input,
               [] { find_slow_runs(ShiftScale::log_ratio, kMargin, some_units(3, 0), some_units(4, 0), 1); }),
      "runs_b: 4 values, but runs_a has 3");
}

}  // namespace
}  // namespace aqbench
