#include "harness/ab/gbench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  EXPECT_EQ(gbench_line("./bench", "", "/f"),
            "./bench --benchmark_format=json --benchmark_out_format=json --benchmark_out='/f'");
  EXPECT_THAT(gbench_line("./bench", "BM_x<int>/8.5", "/f"),
              HasSubstr(R"(--benchmark_filter='^BM_x<int>/8\.5$' )"));
  EXPECT_EQ(gbench_line("./bench --benchmark_format=json", "BM_it's", "/f"),
            R"(./bench --benchmark_format=json --benchmark_filter='^BM_it'\''s$')");
}

}  // namespace
}  // namespace aqbench
