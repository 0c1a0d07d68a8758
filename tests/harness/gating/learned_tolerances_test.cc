#include "harness/gating/accept.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

// One case over seeds; metric m has the mean 10 and the spread 0.1 (m + 1).
Baseline drawn_baseline(int seeds, int metrics, std::mt19937_64& generator) {
  Baseline baseline;
  std::normal_distribution<double> normal;
  for (int seed = 0; seed < seeds; ++seed) {
    BaselineCase one{fmt::format("flat_plane/mine/seed={}", seed), {}, {}};
    for (int m = 0; m < metrics; ++m)
      one.metrics.emplace_back(fmt::format("metric_{}", m),
                               BaselineMetric{10 + 0.1 * (m + 1) * normal(generator), Better::lower, {}});
    baseline.cases.push_back(std::move(one));
  }
  return baseline;
}

TEST(LearnTolerances, AnUnchangedSuitePassesInNinetyNineOfAHundredRuns) {
  std::mt19937_64 generator(1);
  constexpr int kSuites = 2000;
  for (const int seeds : {5, 8, 20}) {
    int failed = 0;
    for (int suite = 0; suite < kSuites; ++suite) {
      Baseline accepted = drawn_baseline(seeds, 10, generator);
      std::vector<std::string> notes;
      learn_tolerances(std::vector(accepted.cases), accepted, notes);
      const Baseline later = drawn_baseline(seeds, 10, generator);
      bool beyond = false;
      for (std::size_t c = 0; c < accepted.cases.size(); ++c)
        for (std::size_t m = 0; m < accepted.cases[c].metrics.size(); ++m) {
          const BaselineMetric& was = accepted.cases[c].metrics[m].second;
          EXPECT_EQ(was.tolerance.learned_from_seeds, seeds);
          beyond |= std::abs(later.cases[c].metrics[m].second.value - was.value) > was.tolerance.value;
        }
      failed += beyond ? 1 : 0;
    }
    EXPECT_LE(failed, kSuites / 100) << seeds;
  }
}

TEST(LearnTolerances, WhatIsMissingIsNamed) {
  std::mt19937_64 generator(2);
  std::vector<std::string> notes;
  Baseline few = drawn_baseline(4, 2, generator);
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { learn_tolerances(std::vector(few.cases), few, notes); }),
              testing::HasSubstr("no case ran with 5 seeds"));
  Baseline equal = drawn_baseline(6, 2, generator);
  for (BaselineCase& one : equal.cases)
    for (auto& [name, metric] : one.metrics) metric.value = 1;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { learn_tolerances(std::vector(equal.cases), equal, notes); }),
              testing::HasSubstr("no accepted metric varies over the seeds"));
}

// A suite of one seed learns from a run of one of its methods; the others keep what they have.
TEST(LearnTolerances, OfAnotherRunOfSomeCases) {
  std::mt19937_64 generator(3);
  Baseline suite = drawn_baseline(1, 3, generator);
  suite.cases.push_back(suite.cases.front());
  suite.cases.back().name = "flat_plane/other/seed=0";
  const Tolerance usual{Tolerance::Kind::relative, 0.05};
  for (BaselineCase& one : suite.cases)
    for (auto& [name, metric] : one.metrics) metric.tolerance = usual;
  Baseline seeded = drawn_baseline(20, 2, generator);
  std::vector<std::string> notes;
  learn_tolerances(seeded.cases, suite, notes);
  const auto& learned = suite.cases[0].metrics;
  EXPECT_EQ(learned[0].second.tolerance.learned_from_seeds, 20);
  EXPECT_EQ(learned[1].second.tolerance.kind, Tolerance::Kind::absolute);
  // sqrt(2) x Student's quantile of 0.01 over two rows, 19 degrees of freedom: 3.17 (scipy.stats.t.isf).
  double mean = 0, squares = 0;
  for (const BaselineCase& one : seeded.cases) mean += one.metrics[0].second.value / 20;
  for (const BaselineCase& one : seeded.cases) squares += std::pow(one.metrics[0].second.value - mean, 2);
  EXPECT_NEAR(learned[0].second.tolerance.value, 3.1737 * std::sqrt(2 * squares / 19), 1e-3);
  EXPECT_EQ(learned[2].second.tolerance.learned_from_seeds, 0) << "the seeds did not have it";
  EXPECT_EQ(suite.cases[1].metrics[0].second.tolerance.value, usual.value);

  seeded.cases[0].options = {{"mine.window", std::int64_t{9}}};
  EXPECT_THAT(error_of(ErrorKind::not_comparable, [&] { learn_tolerances(seeded.cases, suite, notes); }),
              testing::HasSubstr("tolerances of flat_plane/mine/seed=0"));
}

// Seeds that differ by more than the value would let it fall to nothing.
TEST(CapLearnedTolerances, LeavesAFallThatFails) {
  const auto learned = [](double value, Better better, double tolerance) {
    return BaselineMetric{value, better, {Tolerance::Kind::absolute, tolerance, 20}};
  };
  Baseline baseline;
  baseline.cases = {{"a",
                     {},
                     {{"completeness_2mm_pct", learned(0.4, Better::higher, 0.5)},
                      {"precision_2mm_pct", learned(60, Better::higher, 9)},
                      {"accuracy_mean_mm", learned(2, Better::lower, 3)},
                      {"fscore_2mm_pct", {50, Better::higher, {Tolerance::Kind::absolute, 60, 0}}},
                      {"recall_pct", {60, Better::higher, {Tolerance::Kind::relative, 1.2, 20}}},
                      {"share_pct", {0.4, Better::higher, {Tolerance::Kind::relative, 0.5, 20}}}}}};
  std::vector<std::string> notes;
  cap_learned_tolerances(baseline, notes);
  std::vector<double> tolerances;
  for (const auto& [name, metric] : baseline.cases[0].metrics) tolerances.push_back(metric.tolerance.value);
  EXPECT_EQ(tolerances, (std::vector<double>{0.9 * 0.4, 9, 3, 60, 0.9, 0.5}));
  EXPECT_EQ(notes,
            (std::vector<std::string>{
                "tolerances of 2 metrics were cut to 90 % of the value: seeds differ by about as much"}));
  notes.clear();
  cap_learned_tolerances(baseline, notes);
  EXPECT_TRUE(notes.empty()) << "once is enough";
}

TEST(CapLearnedTolerances, EveryMetricOfTheProjectsOwnBaselinesCanFail) {
  const std::filesystem::path folder = std::filesystem::path(AQBENCH_SOURCE_DIR) / "baselines";
  std::size_t rows = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    for (const BaselineCase& one : read_baseline(entry.path()).cases)
      for (const auto& [name, metric] : one.metrics) {
        const bool share = metric.tolerance.kind == Tolerance::Kind::relative;
        const double tolerance =
            share ? metric.tolerance.value * std::abs(metric.value) : metric.tolerance.value;
        ++rows;
        const bool can_fail =
            metric.better != Better::higher || metric.value <= 0 || metric.value > tolerance;
        EXPECT_TRUE(can_fail) << entry.path() << ": " << one.name << ": " << name;
      }
  }
  EXPECT_GT(rows, 500u);
}

}  // namespace
}  // namespace aqbench
