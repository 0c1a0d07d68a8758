// Files that the tools themselves wrote (tests/data/benchmarks).

#include "harness/ab/benchmark_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/harness/ab/support.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kBenchmarkFiles =
    std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/data/benchmarks";

const BenchmarkSeries& series(const BenchmarkFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.series, name, &BenchmarkSeries::name);
  if (found == file.series.end()) throw Error(ErrorKind::input, "no benchmark " + name);
  return *found;
}

TEST(BenchmarkFile, GoogleBenchmarkHasRepetitionsUnitsAndErrors) {
  const BenchmarkFile file = read_benchmark_file(kBenchmarkFiles / "gbench.json");
  EXPECT_EQ(file.tool, "Google Benchmark");
  EXPECT_EQ(file.started_local, "2026-11-25T17:09:24");
  EXPECT_EQ((*file.machine)["num_cpus"], 2);
  ASSERT_EQ(series(file, "BM_sum/20000").seconds.size(), 3u);
  EXPECT_DOUBLE_EQ(series(file, "BM_sum/20000").seconds[0], 26.106589787435816e-6);  // us
  EXPECT_EQ(series(file, "BM_copy").seconds.size(), 3u);
  EXPECT_EQ(series(file, "BM_fails").error, "no data");
  // Of aggregates alone the median.
  const BenchmarkFile medians = read_benchmark_file(kBenchmarkFiles / "gbench_aggregates.json");
  ASSERT_EQ(series(medians, "BM_copy").seconds.size(), 1u);
  EXPECT_DOUBLE_EQ(series(medians, "BM_copy").seconds[0], 1752.5845970332846e-9);  // ns
  EXPECT_EQ(series(medians, "BM_copy").note, "the median of 3 runs alone was kept");
}

TEST(BenchmarkFile, HyperfineHasRunsOfCommands) {
  const BenchmarkFile file = read_benchmark_file(kBenchmarkFiles / "hyperfine.json");
  EXPECT_EQ(file.tool, "hyperfine");
  EXPECT_TRUE(file.machine->empty());
  ASSERT_EQ(series(file, "sleep 0.01").seconds.size(), 12u);
  EXPECT_DOUBLE_EQ(series(file, "sleep 0.01").seconds[0], 0.026265373);
}

TEST(BenchmarkFile, PytestBenchmarkHasRounds) {
  const BenchmarkFile file = read_benchmark_file(kBenchmarkFiles / "pytest.json");
  EXPECT_EQ(file.tool, "pytest-benchmark");
  EXPECT_EQ((*file.machine)["system"], "Linux");
  ASSERT_EQ(series(file, "test_c.py::test_sum").seconds.size(), 12u);
  EXPECT_DOUBLE_EQ(series(file, "test_c.py::test_sum").seconds[0], 1.2815049922210165e-05);
}

TEST(BenchmarkFile, CriterionHasSamplesOrTheMedian) {
  const BenchmarkFile file = read_benchmark_file(kBenchmarkFiles / "criterion");
  EXPECT_EQ(file.tool, "Criterion");
  ASSERT_EQ(file.series.size(), 2u);
  ASSERT_EQ(series(file, "sum").seconds.size(), 20u);
  EXPECT_DOUBLE_EQ(series(file, "sum").seconds[0], 4481720.0 / 143 * 1e-9);  // times / iters, ns
  ASSERT_EQ(series(file, "copy/64k").seconds.size(), 1u);                    // estimates.json alone
  EXPECT_DOUBLE_EQ(series(file, "copy/64k").seconds[0], 6093.13039348711e-9);
  // The lines of `cargo criterion --message-format json`, as its documentation has them.
  const TemporaryDirectory dir;
  std::ofstream(dir.path() / "lines.json")
      << R"({"reason":"benchmark-complete","id":"norm","report_directory":"target","iteration_count":[30,60],)"
      << R"("measured_values":[124200.0,248400.0],"unit":"ns","throughput":[],"typical":{"estimate":4140.0,)"
      << R"("lower_bound":4100.0,"upper_bound":4200.0,"unit":"ns"}})"
      << "\n"
      << R"({"reason":"group-complete","group_name":"norm","benchmarks":["norm"]})"
      << "\n";
  const BenchmarkFile lines = read_benchmark_file(dir.path() / "lines.json");
  ASSERT_EQ(lines.series.size(), 1u);
  EXPECT_DOUBLE_EQ(lines.series[0].seconds[1], 4140e-9);
}

TEST(BenchmarkFile, OthersAndDamagedOnesAreRefused) {
  const TemporaryDirectory dir;
  const auto message = [&](const std::string& text) {
    std::ofstream(dir.path() / "x.json") << text;
    return test::error_of(ErrorKind::input, [&] { read_benchmark_file(dir.path() / "x.json"); });
  };
  EXPECT_THAT(message("{}"), HasSubstr("is no file of Google Benchmark, hyperfine"));
  EXPECT_EQ(benchmark_tool(dir.path() / "x.json"), "");
  EXPECT_EQ(benchmark_tool(dir.path()), "");
  EXPECT_THAT(message(R"({"results": []})"), HasSubstr("has no benchmark"));
  EXPECT_THAT(message(R"({"results": [{"command": "a", "times": [1, -1]}]})"),
              HasSubstr("results[0].times[1]: must be finite and above 0"));
  EXPECT_THAT(message(R"({"results": [{"command": "a", "times": [1]}, {"command": "a", "times": [1]}]})"),
              HasSubstr("'a' occurs twice"));
}

}  // namespace
}  // namespace aqbench
