#include "reports/history/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

TEST(Replay, TheSameRecordIsReproducedWhateverItsTime) {
  const Record recorded = synthetic_record("undulating", "roma_like", 42, 0.8);
  Record now = recorded;
  now.timing.cold_ms = 25.5;
  now.stages[0].wall_ms = {99};
  const ReplayReport report = compare_replay(recorded, now);
  EXPECT_TRUE(report.reproduced());
  EXPECT_EQ(report.metrics, 10u);
  EXPECT_EQ(report.time_trend, "time: 12.8 ms recorded, 25.5 ms now, 2.00 x (a trend, no verdict)");
  EXPECT_THAT(render_replay(report, recorded.case_name),
              HasSubstr("reproduced: undulating/roma_like/seed=42: 10 metrics"));
}

TEST(Replay, TheLastBitOfAMetricCounts) {
  const Record recorded = synthetic_record("undulating", "roma_like", 42, 0.8);
  Record now = recorded;
  now.metrics[0].second.value = std::nextafter(0.8, 1.0);
  const ReplayReport report = compare_replay(recorded, now);
  ASSERT_EQ(report.differences.size(), 1u);
  EXPECT_EQ(report.differences[0].what, "accuracy_mean_mm");
  EXPECT_EQ(report.differences[0].recorded, "0.8");
  EXPECT_EQ(report.differences[0].now, "0.8000000000000002");
  EXPECT_NEAR(report.differences[0].share.value_or(0), 1.4e-16, 1e-17);
}

TEST(Replay, StatusHashMissingAndNewMetricsAndMemory) {
  const Record recorded = synthetic_record("undulating", "roma_like", 42, 0.8);
  Record now = recorded;
  now.output_sha256 = std::string(64, 'b');
  now.metrics.erase(now.metrics.begin());
  now.metrics.emplace_back("new_mm", Metric{1.0, "mm", Better::lower, ""});
  metric_of(now, "normal_mean_deg").value = 3;  // was undefined
  now.stages[0].net_bytes = 5;
  const ReplayReport report = compare_replay(recorded, now);
  std::vector<std::string> what;
  for (const ReplayDifference& difference : report.differences) what.push_back(difference.what);
  EXPECT_THAT(what, ::testing::ElementsAre("output_sha256", "accuracy_mean_mm", "normal_mean_deg", "new_mm",
                                           "tensor_memory.simulation.net_bytes"));
  std::vector<bool> of_builds;
  for (const ReplayDifference& difference : report.differences) of_builds.push_back(difference.of_builds);
  EXPECT_THAT(of_builds, ::testing::ElementsAre(false, false, false, true, true))
      << "another build may have had fewer metrics";
  now.status = Status::crashed;
  now.reason = "signal 11";
  EXPECT_THAT(render_replay(compare_replay(recorded, now), "c"),
              HasSubstr("status: recorded ok, now crashed: signal 11"));
}

TEST(Replay, UnitsDirectionsAndFilesCount) {
  Record recorded = synthetic_record("undulating", "roma_like", 42, 0.8);
  recorded.files = {{"tiles/a.csv", std::string(64, 'a')},
                    {"views/a.csv", std::string(64, 'b')},
                    {"logs/a.log", std::string(64, 'c')}};
  Record now = recorded;
  now.files[2].sha256 = std::string(64, 'd');
  EXPECT_TRUE(compare_replay(recorded, now).reproduced()) << "what a program prints may differ";
  metric_of(now, "accuracy_mean_mm").unit = "m";
  metric_of(now, "accuracy_rmse_mm").better = Better::higher;
  now.files[0].sha256 = std::string(64, 'd');
  now.files[1].path = "viewer/a.bin";
  std::vector<std::array<std::string, 3>> found;
  for (const ReplayDifference& one : compare_replay(recorded, now).differences)
    found.push_back({one.what, one.recorded, one.now});
  const auto hash = [](char c) { return std::string(64, c); };
  EXPECT_THAT(found,
              ::testing::ElementsAre(
                  std::array<std::string, 3>{"accuracy_mean_mm", "0.8 [mm]", "0.8 [m]"},
                  std::array<std::string, 3>{"accuracy_rmse_mm", "1, better is lower", "1, better is higher"},
                  std::array<std::string, 3>{"tiles/a.csv", hash('a'), hash('d')},
                  std::array<std::string, 3>{"viewer/a.bin", "absent", hash('b')},
                  std::array<std::string, 3>{"views/a.csv", hash('b'), "absent"}));
}

TEST(Replay, APlatformIsProcessorSystemAndLibraries) {
  const Json here = {{"cpu", {{"model", "A"}, {"cores_online", 2}}},
                     {"os", {{"name", "Debian 12"}, {"kernel", "6.1"}}},
                     {"libraries", {{"eigen", "3.4.0"}, {"glibc", "2.36"}}}};
  Json there = here;
  there["cpu"]["cores_online"] = 64;
  there["os"]["kernel"] = "5.10";
  EXPECT_THAT(platform_differences(there, here), ::testing::IsEmpty());
  there["libraries"].erase("glibc");  // of an older bundle
  EXPECT_THAT(platform_differences(there, here), ::testing::IsEmpty());
  there["libraries"]["glibc"] = "2.31";
  EXPECT_THAT(platform_differences(there, here),
              ::testing::ElementsAre("glibc is \"2.36\", the bundle's \"2.31\""));
  there = here;
  there["comparability"]["mixed"] = "shards ran on machines that differ";
  there["cpu"]["model"] = "B";
  EXPECT_EQ(platform_differences(there, here).size(), 2u);
}

// 4 of 40 cases are altered: 1 000 samples of 5 miss them as often as is said.
TEST(ReplaySample, MissesAlteredCasesAtTheStatedRate) {
  const double stated = missed_probability(40, 4, 5);
  EXPECT_NEAR(stated, 0.573, 0.0005);  // C(36, 5) / C(40, 5)
  std::mt19937_64 random(1);
  int missed = 0;
  std::vector<int> drawn(40);
  for (int draw = 0; draw < 1000; ++draw) {
    const std::vector<std::size_t> sample = draw_sample(40, 5, random);
    ASSERT_EQ(std::set<std::size_t>(sample.begin(), sample.end()).size(), 5u);
    for (const std::size_t i : sample) ++drawn[i];
    missed += std::ranges::none_of(sample, [](std::size_t i) { return i % 10 == 3; });
  }
  EXPECT_NEAR(missed, 1000 * stated, 4 * std::sqrt(1000 * stated * (1 - stated)));
  for (const int times : drawn) EXPECT_NEAR(times, 125, 4 * std::sqrt(125 * 0.875));
}

TEST(ReplaySample, IsDrawnAnewEachTime) {
  std::mt19937_64 first = system_random(), second = system_random();
  EXPECT_NE(draw_sample(10000, 5, first), draw_sample(10000, 5, second));
  EXPECT_EQ(draw_sample(3, 3, first), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(ReplaySample, SaysWhatItProves) {
  EXPECT_EQ(render_sample(40, 5, 5, 0),
            "5 of 40 cases reproduced; had 4 been altered, this would have missed all of them with "
            "probability 0.57\n");
  EXPECT_EQ(render_sample(4, 4, 4, 0),
            "4 of 4 cases reproduced; had 1 been altered, this would have missed it with probability 0\n");
  EXPECT_EQ(render_sample(40, 5, 3, 1), "3 of 40 cases reproduced, 1 not comparable, 1 not reproduced\n");
  EXPECT_EQ(missed_probability(5, 2, 4), 0);
  EXPECT_EQ(missed_probability(5, 0, 4), 1);
}

}  // namespace
}  // namespace aqbench
