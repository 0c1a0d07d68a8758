// Tables of timed stages from a report of Google Benchmark.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "reports/docs_tables/fill_docs.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Rows of a report: a name and its counters, each `repetitions` times.
using Rows = std::vector<std::pair<std::string, std::string>>;

const Rows kLimits = {{"limit_fma/iterations:1", R"("flops_per_s":1e11)"},
                      {"limit_memory/iterations:1", R"("bytes_per_s":1e10)"},
                      {"limit_fma_all_threads/iterations:1", R"("flops_per_s":2e11)"},
                      {"limit_memory_all_threads/iterations:1", R"("bytes_per_s":1.5e10)"}};

class PerformanceTables : public ::testing::Test {
 protected:
  void write(Rows rows, int repetitions = 8) {
    rows.insert(rows.begin(), kLimits.begin(), kLimits.end());
    std::string runs;
    for (const auto& [name, counters] : rows)
      for (int i = 0; i < repetitions; ++i)
        runs += fmt::format(R"({}{{"name":"{}","run_type":"iteration",{}}})", runs.empty() ? "" : ",", name,
                            counters);
    write_file(
        folder_ / "times.json",
        R"({"context":{"date":"2026-11-29T20:21:45+00:00","num_cpus":2,"load_avg":[0.5,1,1],"cpu":"C",)"
        R"("commit":"abc","voxels_of_1mm":"1 M points | Open3D | ours | more"},"benchmarks":[)" +
            runs + "]}");
  }

  std::string section(const std::string& name) const {
    return performance_sections(folder_.path()).at(name)({"times.json"});
  }

  TemporaryDirectory folder_;
};

TEST_F(PerformanceTables, TheLimitThatTakesLongerDecides) {
  write({{"computes/iterations:1/manual_time", R"("ours_s":0.04,"flops":2e9,"bytes":1e7)"},
         {"moves/iterations:1/manual_time", R"("ours_s":0.02,"flops":1e7,"bytes":1e8)"},
         {"neither/iterations:1/manual_time", R"("ours_s":0.02)"}});
  const std::string stages = section("stages");
  EXPECT_THAT(stages, HasSubstr("| computes |  | 50.0 GFLOP/s | multiply-adds | 50.0 | 40.0 |"));
  EXPECT_THAT(stages, HasSubstr("| moves |  | 5.00 GB/s | memory | 50.0 | 20.0 |"));
  EXPECT_THAT(stages, HasSubstr("| neither |  | not counted | not counted |  | 20.0 |"));
  EXPECT_THAT(stages, Not(HasSubstr("limit fma")));
}

TEST_F(PerformanceTables, APeerHasTheRatioOfItsPairs) {
  write({{"voxels_of_1mm/iterations:1/manual_time", R"("ours_s":0.02,"peer_s":0.05)"},
         {"alone/iterations:1/manual_time", R"("ours_s":0.02)"}});
  const std::string peers = section("peers");
  EXPECT_THAT(peers, HasSubstr("| voxels of 1mm | 1 M points | Open3D | ours \\| more | 20.0 | 50.0 "
                               "| 2.50 (2.50 to 2.50) |"));
  EXPECT_THAT(peers, Not(HasSubstr("alone")));
}

// Random interleaving reports the benchmarks as they end.
TEST_F(PerformanceTables, StagesStandInTheOrderOfTheProgram) {
  write({{"last", R"("ours_s":0.02,"family_index":2)"}, {"first", R"("ours_s":0.02,"family_index":1)"}});
  const std::string stages = section("stages");
  EXPECT_LT(stages.find("| first |"), stages.find("| last |"));
}

TEST_F(PerformanceTables, TheMachineStandsWithItsLimits) {
  write({});
  EXPECT_EQ(section("machine"),
            "Measured 2026-11-29 on C (2 processors; load average over a minute 0.500 at the start), commit "
            "abc, 8 repetitions. One\nthread: 100 GFLOP/s of multiply-adds, 10.0 GB/s from and to memory; "
            "all threads together: 200 GFLOP/s, 15.0 GB/s.\n");
}

TEST_F(PerformanceTables, WhatIsMissingIsNamed) {
  write({{"a/iterations:1", R"("ours_s":0.02,"peer_s":0.05)"}}, 7);
  const auto error = [&](const std::string& name) {
    return error_of(ErrorKind::input, [&] { section(name); });
  };
  EXPECT_THAT(error("peers"), HasSubstr("a: 7 pairs are too few for an interval"));
  write_file(folder_ / "times.json", R"({"context":{},"benchmarks":[]})");
  EXPECT_THAT(error("machine"), HasSubstr("no benchmark limit_"));
  write({{"a/iterations:1", R"("ours_s":0.02,"error_message":"no memory")"}});
  EXPECT_THAT(error("stages"), HasSubstr("the benchmark failed"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { performance_sections(folder_.path()).at("peers")({}); }),
              HasSubstr("expected the file of a record"));
}

}  // namespace
}  // namespace aqbench
