#include "harness/ab/benchmark_results.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

const std::filesystem::path kBenchmarkData =
    std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/data/benchmarks";

TEST(BenchmarkResults, EachBenchmarkIsACaseWithItsRunsInMilliseconds) {
  const Results results = results_of_benchmarks(kBenchmarkData / "gbench.json");
  EXPECT_EQ(results.run.suite, "google-benchmark");
  EXPECT_EQ(results.run.id, "20261125T170924Z");
  ASSERT_EQ(results.records.size(), 3u);
  EXPECT_EQ(results.records[0].case_name, "BM_sum/20000");
  EXPECT_EQ(results.records[0].timing.warm_ms.size(), 3u);
  EXPECT_NEAR(results.records[0].timing.warm_ms[0], 0.026106589787435816, 1e-15);
  EXPECT_EQ(results.records[2].status, Status::failed);
  EXPECT_EQ(results.records[2].reason, "no data");
  EXPECT_EQ((*results.environment)["comparability"]["tool"], "Google Benchmark");
  EXPECT_NE(results_text(results).find("\"case\": \"BM_sum/20000\""), std::string::npos);
  EXPECT_FALSE(
      results_of_benchmarks(kBenchmarkData / "hyperfine.json").environment->contains("comparability"));
}

TEST(BenchmarkResults, FalseAlarmsAreCountedOverHalves) {
  Results results = results_of_benchmarks(kBenchmarkData / "gbench.json");
  results.records.resize(1);
  std::vector<double>& runs = results.records[0].timing.warm_ms;
  EXPECT_EQ(false_alarms_of_halves(results, 1.05).second, 0u);  // 3 runs say nothing
  runs.assign(20, 1.0);
  EXPECT_EQ(false_alarms_of_halves(results, 1.05), std::pair(0.0, std::size_t{20}));
  // 10 runs of 1 and then 10 of 1.2: the half that starts at s has s of 1.2 where s <= 10; its median is 1.2
  // and that of the other half 1 from 6 on, 1.1 and 1.1 at 5; the halves after 10 mirror it: s = 6 ... 14.
  std::fill(runs.begin() + 10, runs.end(), 1.2);
  EXPECT_DOUBLE_EQ(false_alarms_of_halves(results, 1.05).first, 9.0 / 20);
}

}  // namespace
}  // namespace aqbench
