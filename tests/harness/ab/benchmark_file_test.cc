// Files that the tools themselves wrote (tests/data/benchmarks).
#include "harness/ab/benchmark_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/quantiles.h"
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
  EXPECT_EQ(file.started_us, 1'795'626'564'000'000);  // 2026-11-25T17:09:24+00:00
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

BenchmarkFile read_text(const TemporaryDirectory& dir, const std::string& text) {
  std::ofstream(dir.path() / "x.json") << text;
  return read_benchmark_file(dir.path() / "x.json");
}

// An offset of UTC moves the time, a fraction counts, and what is no date has none.
TEST(BenchmarkFile, DatesAreThoseOfUtc) {
  constexpr std::int64_t kNine = 1'795'597'200'000'000;  // 2026-11-25T09:00:00Z by date -u -d ... +%s
  for (const char* const date : {"2026-11-25T09:00:00", "2026-11-25T09:00:00Z", "2026-11-25T10:00:00+01:00",
                                 "2026-11-25T04:30:00-04:30", "2026-11-25T14:45:00+0545",
                                 "2026-11-25 09:00:00.000000+00:00", "2026-11-24T23:00:00-10:00"})
    EXPECT_EQ(utc_microseconds(date), kNine) << date;
  EXPECT_EQ(utc_microseconds("2026-11-25T09:00:00.045692"), kNine + 45'692);
  EXPECT_EQ(utc_microseconds("2026-11-25T10:00:00.5+01:00"), kNine + 500'000);
  EXPECT_EQ(utc_microseconds("1970-01-01T00:00:00Z"), 0);
  for (const char* const none : {"", "yesterday", "2026-02-30T09:00:00", "2026-11-25T25:00:00",
                                 "2026-11-25T09:00:00+01:00x", "2026-11-25"})
    EXPECT_FALSE(utc_microseconds(none)) << none;
}

// CPU time counts where it is that of one thread for all runs; the file says how loaded the machine was.
TEST(BenchmarkFile, CpuTimeIsThatOfOneThread) {
  const TemporaryDirectory dir;
  const auto entry = [](const std::string& name, const char* more) {
    return R"({"name": ")" + name + R"(", "run_name": ")" + name +
           R"(", "run_type": "iteration", "real_time": 4, "time_unit": "us")" + more + "}";
  };
  const BenchmarkFile file = read_text(
      dir, R"({"context": {"num_cpus": 2, "load_avg": [6.5, 1, 1], "commit": "abc123"}, "benchmarks": [)" +
               entry("a", R"(, "cpu_time": 3, "threads": 1)") + "," + entry("a", R"(, "cpu_time": 2)") + "," +
               entry("b/threads:4", R"(, "cpu_time": 3, "threads": 4)") + "," +
               entry("c/manual_time", R"(, "cpu_time": 3)") + "," + entry("d", R"(, "cpu_time": 3)") + "," +
               entry("d", "") + "," + entry("e", R"(, "cpu_time": 0)") + "]}");
  ASSERT_EQ(series(file, "a").cpu_seconds.size(), 2u);
  EXPECT_DOUBLE_EQ(series(file, "a").cpu_seconds[1], 2e-6);
  for (const char* const none : {"b/threads:4", "c/manual_time", "d", "e"})
    EXPECT_TRUE(series(file, none).cpu_seconds.empty()) << none;
  EXPECT_EQ(file.load_1m, 6.5);
  EXPECT_EQ(file.processors, 2u);
  const Results results = results_of_benchmarks(dir.path() / "x.json");
  EXPECT_EQ(results.records[0].timing.cpu_ms.size(), 2u);
  EXPECT_EQ(results.records[0].timing.blocks.at(0).load_1m, 6.5);
  EXPECT_EQ((*results.environment).at("working_directory_git").at("commit"), "abc123");
}

// The literals that Google Benchmark and Python write are null: of a time that fails its benchmark, of other
// numbers it does not matter.
TEST(BenchmarkFile, WhatOneSideAloneHasIsNamedWithItsLikeliestPartner) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(one_sided_benchmarks({"x", "y"}, {"y", "x"}).notes, Names{});
  EXPECT_EQ(one_sided_benchmarks({"BM_sort/8", "BM_read"}, {"BM_read", "sorting/8"}).notes,
            (Names{"A has the benchmark BM_sort/8, which B lacks: not compared; B may have it as sorting/8",
                   "B has the benchmark sorting/8, which A lacks: not compared"}))
      << "the only one left on either side";
  EXPECT_EQ(one_sided_benchmarks({"BM_sort/8", "BM_gone"}, {"BM_sorts/8", "other"}).notes.front(),
            "A has the benchmark BM_sort/8, which B lacks: not compared; B may have it as BM_sorts/8");
  EXPECT_EQ(one_sided_benchmarks({"BM_a1"}, {"BM_a2", "BM_a3"}).notes.front(),
            "A has the benchmark BM_a1, which B lacks: not compared")
      << "either could be it";
  EXPECT_EQ(one_sided_benchmarks({"BM_sort/8", "BM_gone"}, {"BM_sorts/8", "BM_other"}).lost,
            Names{"BM_gone"});
  EXPECT_EQ(one_sided_benchmarks({"BM_a1"}, {"BM_a2", "BM_a3"}).lost, Names{"BM_a1"});
  EXPECT_EQ(one_sided_benchmarks({"BM_read"}, {"BM_read", "BM_new"}).lost, Names{});
}

TEST(BenchmarkFile, NumbersThatAreNoneAreNullWithAReason) {
  EXPECT_EQ(with_nulls(R"({"a": NaN, "b": [-Infinity,Infinity, -NaN], "c": "NaN \" Infinity", "d": -1})"),
            R"({"a": null, "b": [null,null, null], "c": "NaN \" Infinity", "d": -1})");
  const TemporaryDirectory dir;
  const BenchmarkFile file = read_text(dir, R"({"benchmarks": [
    {"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 2, "cpu_time": NaN, "time_unit": "s", "rate": Infinity},
    {"name": "b", "run_name": "b", "run_type": "iteration", "real_time": NaN, "time_unit": "s"},
    {"name": "b", "run_name": "b", "run_type": "iteration", "real_time": 2, "time_unit": "s"},
    {"name": "c_median", "run_name": "c", "run_type": "aggregate", "aggregate_name": "median", "real_time": -Infinity, "time_unit": "s"}]})");
  EXPECT_EQ(series(file, "a").error, "");
  EXPECT_EQ(series(file, "a").seconds, std::vector<double>{2});
  EXPECT_EQ(series(file, "b").error, "real_time is null or not a finite number");
  EXPECT_EQ(series(file, "c").error, "the time of a run is null or not a finite number");
  const BenchmarkFile hyperfine =
      read_text(dir, R"({"results": [{"command": "a", "times": [1, NaN]}, {"command": "b", "times": [1]}]})");
  EXPECT_EQ(series(hyperfine, "a").error, "the time of a run is null or not a finite number");
  EXPECT_EQ(series(hyperfine, "b").error, "");
}

// What fails in any run fails the benchmark, whatever the others took.
TEST(BenchmarkFile, ARunThatFailedIsAnError) {
  const TemporaryDirectory dir;
  const auto hyperfine = [&](const char* codes) {
    return read_text(dir, std::string(R"({"results": [{"command": "a", "times": [1, 2], "exit_codes": )") +
                              codes + "}]}")
        .series.front()
        .error;
  };
  EXPECT_EQ(hyperfine("[0, 0]"), "");
  EXPECT_EQ(hyperfine("[0, 1]"), "a run ended with exit code 1");
  EXPECT_EQ(hyperfine("[null, 0]"), "a run was ended by a signal");
  const BenchmarkFile file = read_text(dir, R"({"benchmarks": [
    {"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 2, "time_unit": "s"},
    {"name": "a", "run_name": "a", "run_type": "iteration", "error_occurred": true, "error_message": "no disk"},
    {"name": "b_median", "run_name": "b", "run_type": "aggregate", "aggregate_name": "median", "error_occurred": true,
     "error_message": "no net", "real_time": 0, "time_unit": "s"}]})");
  EXPECT_EQ(series(file, "a").error, "no disk");
  EXPECT_EQ(series(file, "b").error, "no net");
}

// The key of a machine is its processor: another host of the same kind is the same machine.
TEST(BenchmarkFile, TheMachineIsItsProcessor) {
  const TemporaryDirectory dir;
  const auto machine = [&](const std::string& context) {
    return *read_text(dir, R"({"context": {)" + context +
                               R"(}, "benchmarks": [{"name": "a", "real_time": 2, "time_unit": "s"}]})")
                .machine;
  };
  const std::string processor =
      R"("num_cpus": 2, "library_build_type": "release", "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}])";
  const Json one = machine(R"("host_name": "runner-17", "mhz_per_cpu": 2596, "load_avg": [1], )" + processor);
  EXPECT_EQ(one, machine(R"("host_name": "runner-18", "mhz_per_cpu": 3100, )" + processor));
  EXPECT_EQ(one.at("caches"), "Data 1: 32768");
  EXPECT_NE(one, machine(R"("num_cpus": 4, "library_build_type": "release")"));
  EXPECT_FALSE(read_benchmark_file(kBenchmarkFiles / "pytest.json").machine->contains("node"));
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
  EXPECT_THAT(results_text(results), HasSubstr("\"case\": \"BM_sum/20000\""));
  EXPECT_FALSE(
      results_of_benchmarks(kBenchmarkData / "hyperfine.json").environment->contains("comparability"));
}

// Against medians of the halves themselves, of odd and even numbers of runs, with ties.
TEST(BenchmarkResults, FalseAlarmsAreThoseOfAllHalves) {
  Results results = results_of_benchmarks(kBenchmarkData / "gbench.json");
  results.records.resize(1);
  std::vector<double>& runs = results.records[0].timing.warm_ms;
  std::mt19937_64 generator(3);
  for (std::size_t count = 10; count < 60; ++count) {
    runs.clear();
    for (std::size_t i = 0; i < count; ++i) runs.push_back(1 + 0.01 * static_cast<double>(generator() % 12));
    std::size_t alarms = 0;
    for (std::size_t start = 0; start < count; ++start) {
      std::vector<double> now, then;
      for (std::size_t i = 0; i < count; ++i)
        (i < count / 2 ? now : then).push_back(runs[(start + i) % count]);
      alarms += median_of(now) > 1.01 * median_of(then);
    }
    EXPECT_EQ(false_alarms_of_halves(results, 1.01),
              std::pair(static_cast<double>(alarms) / static_cast<double>(count), count));
  }
}

TEST(BenchmarkResults, FalseAlarmsOfManyRunsTakeNoTime) {
  Results results = results_of_benchmarks(kBenchmarkData / "gbench.json");
  results.records.resize(1);
  std::mt19937_64 generator(3);
  results.records[0].timing.warm_ms.clear();
  for (int i = 0; i < 200'000; ++i)
    results.records[0].timing.warm_ms.push_back(1 + 1e-6 * static_cast<double>(generator() % 100'000));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(false_alarms_of_halves(results, 1.05), std::pair(0.0, std::size_t{200'000}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));  // minutes by their sorting
}

using ::testing::ElementsAre;

constexpr const char* kReport = R"({
  "context": {"date": "2026-11-25T10:00:00+00:00", "num_cpus": 2, "library_build_type": "release"},
  "benchmarks": [
    {"name": "BM_sort/8", "run_name": "BM_sort/8", "run_type": "iteration", "repetitions": 2, "repetition_index": 0,
     "threads": 1, "iterations": 1000, "real_time": 1.5e+03, "cpu_time": 1.4e+03, "time_unit": "ns"},
    {"name": "BM_sort/8", "run_name": "BM_sort/8", "run_type": "iteration", "repetition_index": 1,
     "iterations": 1000, "real_time": 1.6e+03, "cpu_time": 1.4e+03, "time_unit": "ns"},
    {"name": "BM_sort/8_mean", "run_name": "BM_sort/8", "run_type": "aggregate", "aggregate_name": "mean",
     "iterations": 2, "real_time": 1.55e+03, "cpu_time": 1.4e+03, "time_unit": "ns"},
    {"name": "BM_read", "run_name": "BM_read", "run_type": "iteration", "iterations": 3,
     "real_time": 2.5e-01, "cpu_time": 1e-01, "time_unit": "s", "bytes_per_second": 4e9},
    {"name": "BM_gpu", "run_name": "BM_gpu", "run_type": "iteration", "error_occurred": true,
     "error_message": "no device"}]})";

TEST(GbenchReport, HasTheTimeOfEachRepetitionInMilliseconds) {
  const auto times = read_gbench_report(kReport, "report");
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].name, "BM_sort/8");
  EXPECT_THAT(times[0].real_ms, ElementsAre(testing::DoubleEq(1.5e-3), testing::DoubleEq(1.6e-3)));
  EXPECT_EQ(times[1].name, "BM_read");
  EXPECT_THAT(times[1].real_ms, ElementsAre(250));
  EXPECT_EQ(times[2].error, "no device");
  EXPECT_TRUE(times[2].real_ms.empty());
}

TEST(GbenchReport, RefusesWhatIsNone) {
  const auto message = [](const std::string& text) {
    return test::error_of(ErrorKind::input, [&] { read_gbench_report(text, "report"); });
  };
  EXPECT_THAT(message("Benchmark  Time"), HasSubstr("report"));
  EXPECT_THAT(message("{}"), HasSubstr("benchmarks"));
  EXPECT_THAT(message(R"({"benchmarks": [{"name": "x", "real_time": 0, "time_unit": "ns"}]})"),
              HasSubstr("real_time: must be finite and above 0"));
  EXPECT_THAT(message(R"({"benchmarks": [{"name": "x", "real_time": 1, "time_unit": "h"}]})"),
              HasSubstr("expected ns, us, ms or s"));
}

TEST(GbenchReport, IsRecognisedInTheOutputOfACommand) {
  EXPECT_TRUE(is_gbench_report(kReport));
  EXPECT_TRUE(
      is_gbench_report("-----------------------------------------------------\n"
                       "Benchmark           Time             CPU   Iterations\n"
                       "-----------------------------------------------------\n"
                       "BM_sort/8        1500 ns         1400 ns         1000\n"));
  EXPECT_FALSE(is_gbench_report("Benchmark of the year: Time and CPU\n"));
  EXPECT_FALSE(is_gbench_report("{\"benchmarks\": 3}"));
  EXPECT_FALSE(is_gbench_report(""));
}

TEST(GbenchReport, ALineRunsOneBenchmarkAndKeepsItsOwnChoiceOfReport) {
  EXPECT_THAT(gbench_line("./b", "", "/f", {.quick = true}), HasSubstr("./b --benchmark_min_time=0.05 "));
  EXPECT_EQ(gbench_line("./bench", "", "/f"),
            "./bench --benchmark_format=json --benchmark_out_format=json --benchmark_out='/f'");
  EXPECT_THAT(gbench_line("./bench", "BM_x<int>/8.5", "/f"),
              HasSubstr(R"(--benchmark_filter='^BM_x<int>/8\.5$' )"));
  EXPECT_EQ(gbench_line("./bench --benchmark_format=json", "BM_it's", "/f"),
            R"(./bench --benchmark_format=json --benchmark_filter='^BM_it'\''s$')");
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
