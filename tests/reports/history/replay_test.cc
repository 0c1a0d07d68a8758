#include "reports/history/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_EQ(report.time_trend, "time: 12.75 ms recorded, 25.50 ms now, 2.000 x (a trend, no verdict)");
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
  EXPECT_THAT(what, ::testing::ElementsAre("output_sha256", "accuracy_mean_mm", "normal_mean_deg"));
  EXPECT_THAT(report.added, ::testing::ElementsAre("new_mm", "tensor_memory.simulation.net_bytes"))
      << "the recorded run may be older than a metric";
  now.status = Status::crashed;
  now.reason = "signal 11";
  EXPECT_THAT(render_replay(compare_replay(recorded, now), "c"),
              HasSubstr("status: recorded ok, now crashed: signal 11"));
}

}  // namespace
}  // namespace aqbench
