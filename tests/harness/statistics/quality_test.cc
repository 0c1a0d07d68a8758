#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "core/files.h"
#include "harness/statistics/paired.h"
#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using Aim = QualityScale::Aim;

PairedPolicy plain_policy() { return {.bootstrap_draws = 0, .resolution_draws = 0}; }

// An rmse over seeds: 2.2 % is the spread that 1000 points with normal errors give it; B is `factor` times A.
PairedSeries rmse_series(std::mt19937_64& generator, double factor, std::size_t pairs = 20) {
  std::normal_distribution<double> normal;
  PairedSeries series;
  series.name = "rmse";
  series.quality = QualityScale{};
  for (std::size_t i = 0; i < pairs; ++i) {
    series.u_a.push_back(2 * (1 + 0.022 * normal(generator)));
    series.u_b.push_back(2 * factor * (1 + 0.022 * normal(generator)));
  }
  return series;
}

PairedVerdict verdict_of(PairedSeries series) {
  return compare_pairs(std::vector{std::move(series)}, plain_policy()).front().verdict;
}

TEST(Quality, OfTwoThousandSuitesOfTheSameAtMostOnePercentAreCalledDifferent) {
  std::mt19937_64 generator(5);
  int different = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    std::vector<PairedSeries> metrics;
    for (int metric = 0; metric < 3; ++metric) metrics.push_back(rmse_series(generator, 1));
    const auto results = compare_pairs(metrics, plain_policy());
    if (std::ranges::any_of(results, [](const auto& one) { return needs_confirmation(one); })) ++different;
  }
  EXPECT_LE(different, 20);
}

// A margin so narrow that nothing is equivalent: the test alone keeps the rate.
TEST(Quality, TheTestAloneKeepsTheRate) {
  std::mt19937_64 generator(6);
  int different = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    PairedSeries series = rmse_series(generator, 1);
    series.quality->margin = 1e-6;
    if (verdict_of(std::move(series)) != PairedVerdict::inconclusive) ++different;
  }
  EXPECT_LE(different, 33);  // 1 % of 2000 and three standard deviations
  EXPECT_GE(different, 5);
}

TEST(Quality, FivePercentWorseAreSeenInTwentyPairs) {
  std::mt19937_64 generator(7);
  int worse = 0, better = 0;
  for (int draw = 0; draw < 400; ++draw) {
    worse += verdict_of(rmse_series(generator, 1.05)) == PairedVerdict::regressed;
    better += verdict_of(rmse_series(generator, 1 / 1.05)) == PairedVerdict::faster;
  }
  EXPECT_GE(worse, 360);
  EXPECT_GE(better, 360);
}

TEST(Quality, WhatIsCertainlyWithinTheMarginIsEquivalentThoughItDiffers) {
  std::mt19937_64 generator(8);
  PairedSeries series = rmse_series(generator, 1.02, 28);
  for (std::size_t i = 0; i < series.u_b.size(); ++i) {
    series.u_a[i] = 2 + 0.01 * static_cast<double>(i % 5);
    series.u_b[i] = 1.02 * series.u_a[i] * (1 + 1e-4 * static_cast<double>(i % 3));
  }
  EXPECT_EQ(verdict_of(series), PairedVerdict::pass);
  series.quality->margin = 0.01;
  EXPECT_EQ(verdict_of(series), PairedVerdict::regressed);
  series.quality->aim = Aim::higher;
  EXPECT_EQ(verdict_of(series), PairedVerdict::faster);
  EXPECT_EQ(quality_text(PairedVerdict::pass), "EQUIVALENT");
}

// What is said of a change is the metric's own, from the smallest to the largest, also where higher is
// better.
TEST(Quality, TheReasonNamesTheIntervalFromBelow) {
  PairedSeries series;
  series.name = "precision";
  for (int i = 0; i < 20; ++i) {
    series.u_a.push_back(50);
    series.u_b.push_back(50 * (1 + 0.01 * (i - 12)));  // -12 % to +7 %
  }
  for (const bool absolute : {false, true}) {
    series.quality = QualityScale{Aim::higher, absolute ? 0.1 : 0.001, absolute};
    const auto result = compare_pairs(std::vector{series}, plain_policy()).front();
    ASSERT_EQ(result.verdict, PairedVerdict::inconclusive);
    // "the interval -4.00 % .. +1.00 % is not": a number follows its word.
    const std::string from = "the interval ", to = " .. ";
    const double low = std::stod(result.reason.substr(result.reason.find(from) + from.size()));
    const double high = std::stod(result.reason.substr(result.reason.find(to) + to.size()));
    EXPECT_LT(low, 0) << result.reason;
    EXPECT_LT(low, high) << result.reason;
  }
}

// Two metrics ask for 2 x 2^-n <= alpha / 2: 9 pairs can call both worse, and 8 never could.
TEST(Quality, TheFewestPairsCanBeCalledWorse) {
  std::vector<PairedSeries> two(2);
  for (PairedSeries& series : two) {
    series.name = "rmse";
    series.quality = QualityScale{};
    series.u_a.assign(8, 1.0);
    for (int i = 0; i < 8; ++i) series.u_b.push_back(1.5 + 0.001 * i);
  }
  EXPECT_EQ(error_of(ErrorKind::input, [&] { compare_pairs(two, plain_policy()); }),
            "rmse: pairs: 8 are too few: 2 cases x 1 look at alpha 0.01 need 9");
  for (PairedSeries& series : two) {
    series.u_a.push_back(1.0);
    series.u_b.push_back(1.5);
  }
  for (const PairedComparison& one : compare_pairs(two, plain_policy()))
    EXPECT_EQ(one.verdict, PairedVerdict::regressed);
}

TEST(Quality, AnAbsoluteMarginTakesValuesOfAnySign) {
  PairedSeries series;
  series.name = "bias";
  series.quality = QualityScale{Aim::near_ideal, 0.1, true};
  for (int i = 0; i < 28; ++i) {
    series.u_a.push_back(-0.01 + 0.001 * i);
    series.u_b.push_back(-0.5 - 0.001 * i);
  }
  const auto result = compare_pairs(std::vector{series}, plain_policy()).front();
  EXPECT_EQ(result.verdict, PairedVerdict::regressed);  // -0.5 is further from 0
  EXPECT_EQ(result.kept.size(), 28u);
  EXPECT_TRUE(is_difference(result.scale));
  for (double& value : series.u_b) value += 0.5;
  EXPECT_EQ(verdict_of(series), PairedVerdict::pass);
}

// 0.3 - 0.2 is below 0.1 by the last bit, 0.4 - 0.3 above it.
TEST(Quality, AShiftOfExactlyTheMarginIsNotWithinIt) {
  for (const double a : {0.1, 0.2, 0.3, 0.7}) {
    PairedSeries series;
    series.name = "rmse";
    series.quality = QualityScale{Aim::lower, 0.1, true};
    series.u_a.assign(28, a);
    series.u_b.assign(28, a + 0.1);
    EXPECT_EQ(verdict_of(series), PairedVerdict::regressed) << a;
    series.u_b.assign(28, a + 0.0999);
    EXPECT_EQ(verdict_of(series), PairedVerdict::pass) << a;
  }
}

// An area ratio of 0.98 and of 0.50: 0.02 and 0.50 away from 1; of 1.6 and 1.1 the second is closer.
TEST(Quality, IsTheDistanceFromTheIdeal) {
  PairedSeries series;
  series.name = "mesh_area_ratio";
  series.quality = QualityScale{Aim::near_ideal, 0.02, true, 1};
  for (int i = 0; i < 20; ++i) {
    series.u_a.push_back(0.98 + 0.0001 * i);
    series.u_b.push_back(0.50 + 0.0001 * i);
  }
  auto result = compare_pairs(std::vector{series}, plain_policy()).front();
  EXPECT_EQ(result.verdict, PairedVerdict::regressed);
  EXPECT_NEAR(result.shift, 0.48, 1e-9);
  for (int i = 0; i < 20; ++i) {
    series.u_a[i] = 1.6 + 0.0001 * i;
    series.u_b[i] = 1.1 + 0.0001 * i;
  }
  result = compare_pairs(std::vector{series}, plain_policy()).front();
  EXPECT_EQ(result.verdict, PairedVerdict::faster);
  EXPECT_NEAR(result.shift, -0.5, 1e-9);
}

TEST(Quality, RefusesMarginsThatMeanNothing) {
  const auto message = [](QualityScale scale) {
    return error_of(ErrorKind::usage, [&] { check(scale, "x"); });
  };
  EXPECT_THAT(message({Aim::near_ideal, 0.05, false}), ::testing::HasSubstr("near 0"));
  EXPECT_THAT(message({Aim::lower, 0, true}), ::testing::HasSubstr("x: margin"));
  EXPECT_THAT(message({Aim::lower, 1.5, false}), ::testing::HasSubstr("x: margin"));
}

// tests/data/statistics/make_quality_values.py says how the values were made.
TEST(Quality, DecidesAsSciPyDoes) {
  const auto rows = nlohmann::json::parse(
      read_file(std::string(AQBENCH_SOURCE_DIR) + "/tests/data/statistics/quality_values.json"));
  ASSERT_GE(rows.size(), 20u);
  for (const auto& row : rows) {
    std::vector<PairedSeries> metrics;
    for (const auto& metric : row.at("metrics")) {
      PairedSeries series;
      series.name = metric.at("name").get<std::string>();
      series.u_a = metric.at("a").get<std::vector<double>>();
      series.u_b = metric.at("b").get<std::vector<double>>();
      series.quality = QualityScale{Aim::lower, metric.at("margin").get<double>(), false};
      metrics.push_back(std::move(series));
    }
    const auto results = compare_pairs(metrics, plain_policy());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& truth = row.at("metrics").at(i);
      EXPECT_EQ(quality_text(results[i].verdict), truth.at("verdict").get<std::string>())
          << results[i].reason;
      const double p = truth.at("p").get<double>();
      EXPECT_NEAR(std::min(results[i].p_worse, results[i].p_better), p, 1e-11 * p);
      EXPECT_NEAR(results[i].shift, truth.at("shift").get<double>(), 1e-13);
    }
  }
}

using Values = std::vector<double>;

TEST(ClockStep, IsTheLargestOneOfWhichAllValuesAreMultiples) {
  EXPECT_DOUBLE_EQ(clock_step(Values{2, 3, 4, 2}).value(), 1);
  EXPECT_DOUBLE_EQ(clock_step(Values{4, 6, 10}).value(), 2);
  EXPECT_DOUBLE_EQ(clock_step(Values{2, 2, 2}).value(), 2);  // equal values of any size
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
