#include "harness/gating/learned_tolerances.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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
      learn_tolerances(accepted, notes);
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
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { learn_tolerances(few, notes); }),
              testing::HasSubstr("no case ran with 5 seeds"));
  Baseline equal = drawn_baseline(6, 2, generator);
  for (BaselineCase& one : equal.cases)
    for (auto& [name, metric] : one.metrics) metric.value = 1;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { learn_tolerances(equal, notes); }),
              testing::HasSubstr("no metric varies over the seeds"));
}

}  // namespace
}  // namespace aqbench
