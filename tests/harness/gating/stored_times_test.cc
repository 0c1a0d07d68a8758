#include "harness/gating/stored_times.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/gating/gate.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// Results whose first case ran five times, 8 to 12 ms with a median of 10 ms, at 40 units a second.
Results timed_results(double slower = 1) {
  Results results = synthetic_results();
  results.environment = Json{{"comparability", {{"cpu_model", "A"}, {"threads", 2}}}};
  Timing& timing = results.records[0].timing;
  timing.warm_ms = {12 * slower, 8 * slower, 10 * slower, 11 * slower, 9 * slower};
  timing.throughput = 40 / slower;
  timing.throughput_unit = "Mpx/s";
  return results;
}

Baseline timed_baseline() {
  Baseline baseline = synthetic_baseline(timed_results());
  baseline.stored_times = stored_times_of(timed_results());
  return baseline;
}

std::vector<VerdictRow> time_rows(const Results& results) {
  Verdicts report;
  gate_stored_times(results, timed_baseline(), report);
  return report.rows;
}

TEST(StoredTimes, AreMediansOfCasesWithEnoughRuns) {
  const StoredTimes times = stored_times_of(timed_results());
  ASSERT_EQ(times.cases.size(), 1u);
  EXPECT_EQ(times.cases[0].case_name, timed_results().records[0].case_name);
  EXPECT_EQ(times.cases[0].median_ms, 10);
  EXPECT_EQ(times.cases[0].throughput, 40);
  Results few = timed_results();
  few.records[0].timing.warm_ms.pop_back();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { stored_times_of(few); }), HasSubstr("5 warm runs"));
}

TEST(StoredTimes, ComeBackFromTheBaselinesText) {
  const std::string text = baseline_text(timed_baseline());
  const Baseline read = baseline_from_json(Json::parse(text), "b.json");
  EXPECT_EQ(baseline_text(read), text);
  Json zero = Json::parse(text);
  zero["stored_times"]["cases"].front()["median_ms"] = 0;
  EXPECT_THAT(error_of(ErrorKind::input, [&] { baseline_from_json(zero, "b.json"); }),
              HasSubstr("median_ms: must be positive"));
}

TEST(StoredTimes, FivePerCentIsTheLimitBothWays) {
  for (const auto& [slower, verdict] : {std::pair{1.04, Verdict::pass},
                                        {1.06, Verdict::regressed},
                                        {0.96, Verdict::pass},
                                        {0.9, Verdict::improved}})
    EXPECT_EQ(time_rows(timed_results(slower)).at(0).verdict, verdict) << slower;
  Results results = timed_results();
  for (const auto& [throughput, verdict] :
       {std::pair{38.1, Verdict::pass}, {37.9, Verdict::regressed}, {42.1, Verdict::improved}}) {
    results.records[0].timing.throughput = throughput;
    const auto rows = time_rows(results);
    const auto row = std::ranges::find(rows, "throughput", &VerdictRow::metric);
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->verdict, verdict) << throughput;
  }
}

TEST(StoredTimes, AMissingTimeFailsAndAnotherMachineIsNotComparable) {
  Results results = timed_results();
  results.records[0].timing.warm_ms.clear();
  const auto rows = time_rows(results);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].verdict, Verdict::missing);
  results = timed_results();
  results.environment = Json{{"comparability", {{"cpu_model", "B"}, {"threads", 2}}}};
  EXPECT_THAT(error_of(ErrorKind::not_comparable, [&] { time_rows(results); }),
              HasSubstr(R"(cpu_model is "B", the baseline's "A")"));
  Verdicts report;
  Baseline none = timed_baseline();
  none.stored_times.reset();
  EXPECT_THAT(error_of(ErrorKind::not_comparable, [&] { gate_stored_times(timed_results(), none, report); }),
              HasSubstr("stores no times"));
}

}  // namespace
}  // namespace aqbench
