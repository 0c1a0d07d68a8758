#include "reports/history/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/table.h"
#include "core/text.h"
#include "reports/history/compare_table.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Results on_machine(const std::string& cpu, int threads) {
  Results results = synthetic_results();
  results.environment = Json{{"build", {{"commit", "0123456789abcdef"}}},
                             {"comparability", {{"cpu_model", cpu}, {"threads", threads}}}};
  return results;
}

// The same measurements a moment later: only times differ.
Results later(Results results) {
  results.run.id = "20250521T000000Z";
  for (Record& record : results.records) record.timing.cold_ms = *record.timing.cold_ms * 1.1;
  return results;
}

TEST(Compare, TheSameRecordsTwiceAreRefused) {
  const Results results = on_machine("X", 2);
  const CompareReport report = compare_results(results, results);
  EXPECT_THAT(report.refusal, HasSubstr("self comparison"));
  EXPECT_THAT(render_compare(report), HasSubstr("not comparable: self comparison"));
}

TEST(Compare, EqualAccuracyIsCountedAndTimesAreATrend) {
  const Results a = on_machine("X", 2);
  const CompareReport report = compare_results(a, later(a));
  EXPECT_EQ(report.cases, 4u);
  EXPECT_THAT(report.key_differences, IsEmpty());
  ASSERT_EQ(report.times.size(), 4u);
  EXPECT_DOUBLE_EQ(*report.times[0].b_ms / *report.times[0].a_ms, 1.1);
  const std::string text = render_compare(report);
  EXPECT_THAT(text, HasSubstr("40 values the same in both"));
  EXPECT_THAT(text, HasSubstr("times (same machine key, other moments: a trend, no verdict)"));
  EXPECT_THAT(text, HasSubstr("A: 20250520T101112Z, commit 0123456789ab"));
}

TEST(Compare, WhatDiffersInTheMachineIsNamed) {
  const CompareReport report = compare_results(on_machine("X", 2), later(on_machine("Y", 4)));
  EXPECT_THAT(report.key_differences, ElementsAre("cpu_model: X, Y", "threads: 2, 4"));
  EXPECT_THAT(render_compare(report), HasSubstr("times are a trend only: cpu_model: X, Y"));
  Results without = synthetic_results();
  EXPECT_THAT(compare_results(without, later(without)).key_differences,
              ElementsAre("comparability: not recorded"));
}

TEST(Compare, CasesThatCannotBeComparedAreNotes) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  b.records[0].options[0].second = 0.5;
  b.records[1].status = Status::crashed;
  b.records[1].reason = "x";
  b.records[2].case_name = "other/case";
  const CompareReport report = compare_results(a, b);
  EXPECT_EQ(report.cases, 1u);
  EXPECT_THAT(
      report.notes,
      ElementsAre(HasSubstr("not compared: option flat_plane.x_max_m is 0.5, baseline 0.25"),
                  HasSubstr("A is ok, B is crashed"), HasSubstr("in A alone"), "other/case: in B alone"));
}

TEST(Compare, MetricsThatMovedTurnedUndefinedOrVanished) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  *metric_of(b.records[0], "accuracy_mean_mm").value = 3.06;
  metric_of(b.records[0], "fscore_2mm_pct") = {{}, "%", Better::higher, "the cloud is empty"};
  b.records[0].metrics.erase(b.records[0].metrics.begin() + 1);
  b.records[0].metrics.emplace_back("extra_mm", Metric{1.0, "mm", Better::lower, ""});
  const std::string text = render_compare(compare_results(a, b));
  EXPECT_THAT(text, ::testing::ContainsRegex("accuracy_mean_mm +1.53 +3.06 +2 x"));
  EXPECT_THAT(text, ::testing::ContainsRegex("B: the cloud is empty +worse"));
  EXPECT_THAT(text, ::testing::ContainsRegex("not in B +worse"));
  EXPECT_THAT(text, ::testing::ContainsRegex("new in B *\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), kScreenColumns) << line;
}

TEST(Compare, ABiasFurtherFromZeroIsWorseAndMorePointsAreOther) {
  Results a = on_machine("X", 2);
  Results b = later(a);
  metric_of(a.records[0], "bias_mean_mm").value = -0.02;
  metric_of(b.records[0], "bias_mean_mm").value = -4.40;
  metric_of(b.records[0], "points").value = *metric_of(b.records[0], "points").value + 7;
  const std::string text = render_compare(compare_results(a, b));
  EXPECT_THAT(text, ::testing::ContainsRegex("bias_mean_mm.* -4.38 +worse"));
  EXPECT_THAT(text, ::testing::ContainsRegex("points.* [+]7 +other"));
}

TEST(Compare, FaultsThatWerePutInAreSaid) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  EXPECT_THAT(compare_results(a, b).notes, ::testing::IsEmpty());
  b.records[1].injected = {{"depth_estimation", "corrupt", 3}};
  EXPECT_THAT(compare_results(a, b).notes, ::testing::Contains(HasSubstr("B has faults that were put in")));
}

TEST(Compare, WhetherTheWorkMovedOrItsCost) {
  Results a = on_machine("X", 2);
  a.records[3].stages = {{"depth", "", 10, {100}, {100}, 1 << 20, 2 << 20},
                         {"fusion", "", 1, {50}, {50}, {}, {}}};
  Results b = later(a);
  b.records[3].stages[0].calls = 20;
  b.records[3].stages[0].self_ms = {204};
  const CompareReport more_work = compare_results(a, b);
  const ComparedStage& stage = more_work.stages.at(3);
  EXPECT_DOUBLE_EQ(*stage.time_factor(), *stage.work_factor() * *stage.cost_factor());
  EXPECT_EQ(moved_stage_line(more_work),
            "depth of undulating/roma_like/seed=42: 2.04 x: the work moved: 2 x the calls, 1.02 x the time "
            "per call");
  EXPECT_THAT(render_compare(more_work), HasSubstr("tensor memory\n1 stage the same in both\n"));
  EXPECT_THAT(render_compare(more_work, false, true),
              ::testing::ContainsRegex("depth +1.00 +1.00 +2.00 +2.00"));
  EXPECT_THAT(render_compare(more_work), HasSubstr("\nall: seed=42\n"));
  EXPECT_THAT(render_compare(more_work), HasSubstr("\nundulating/roma_like       depth "));
  b.records[3].stages[0].calls = 10;
  EXPECT_THAT(moved_stage_line(compare_results(a, b)),
              HasSubstr("the cost per call moved: 1 x the calls, 2.04 x"));
  b.records[3].stages[0].self_ms = {104};
  EXPECT_EQ(moved_stage_line(compare_results(a, b)), "");
  // Calls are those of all repetitions: more repetitions are no more work.
  b.records[3].stages[0].calls = 40;
  b.records[3].stages[0].self_ms = {104, 100, 101, 103};
  EXPECT_EQ(moved_stage_line(compare_results(a, b)), "");
  EXPECT_DOUBLE_EQ(*compare_results(a, b).stages.at(3).work_factor(), 1);
}

}  // namespace
}  // namespace aqbench
