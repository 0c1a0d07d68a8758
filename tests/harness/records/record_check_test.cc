#include "harness/records/record_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A timed workload of two warm runs in two stages, one within the other.
Record workload_record() {
  Record record;
  record.case_name = "absorption/seed=42";
  record.workload = "absorption";
  record.status = Status::ok;
  record.metrics = {{"identity_error", {0.0, "1", Better::lower, ""}}};
  record.output_sha256 = std::string(64, 'a');
  record.timing.cold_ms = 30;
  record.timing.warm_ms = {10, 12};
  record.timing.cpu_ms = {9, 11};
  record.timing.blocks = {{0, 2, 0, {}, {}, {}, {}}};
  record.stages = {{"outer", "", 2, {8, 9}, {3, 2}}, {"inner", "outer", 4, {5, 7}, {5, 7}}};
  return record;
}

std::vector<std::string> problems_after(const std::function<void(Record&)>& change,
                                        RecordKind kind = RecordKind::sweep) {
  Record record = workload_record();
  change(record);
  return record_problems(record, kind);
}

TEST(RecordCheck, ARecordThatACaseCanGiveHasNoProblem) {
  EXPECT_THAT(record_problems(workload_record()), IsEmpty());
  Record failed;
  failed.status = Status::failed;
  failed.reason = "it fell";
  EXPECT_THAT(record_problems(failed), IsEmpty());
}

TEST(RecordCheck, AnOkRecordHasAllThatARunLeaves) {
  EXPECT_THAT(problems_after([](Record& record) { record.output_sha256.clear(); }),
              ElementsAre("output_sha256: is missing beside status ok"));
  EXPECT_THAT(problems_after([](Record& record) { record.timing.cold_ms = std::nullopt; }),
              ElementsAre("timing.cold_ms: is missing beside status ok"));
  EXPECT_THAT(problems_after([](Record& record) { record.metrics.clear(); }),
              ElementsAre("metrics: are missing beside status ok"));
  EXPECT_THAT(problems_after([](Record& record) { record.reason = "none"; }),
              ElementsAre("reason: stands beside status ok"));
  const auto of_a_profile = [](Record& record) { record.metrics.clear(); };
  EXPECT_THAT(problems_after(of_a_profile, RecordKind::profile), IsEmpty());
}

TEST(RecordCheck, AMethodHasTheMetricsOfACloud) {
  EXPECT_THAT(problems_after([](Record& record) {
                record.workload.clear();
                record.method = "roma_like";
                record.metrics = {{"precision_2mm_pct", {250, "%", Better::higher, ""}}};
              }),
              testing::IsSupersetOf({"metrics: precision_2mm_pct is 250, which is not from 0 to 100",
                                     "metrics: accuracy_mean_mm is missing"}));
}

TEST(RecordCheck, AFailureHasAReasonAndNoScore) {
  const auto failed = [](Record& record) {
    record.status = Status::failed;
    record.method = "roma_like";
  };
  EXPECT_THAT(problems_after(failed),
              ElementsAre("reason: is missing beside status failed", "metrics: stand beside status failed"));
}

TEST(RecordCheck, WhatWasSkippedHasNotRun) {
  const auto skipped = [](Record& record) {
    record.status = Status::skipped;
    record.reason = "no GPU";
    record.injected = {{"outer", "throw", 1}};
  };
  EXPECT_THAT(problems_after(skipped), ElementsAre("status: is skipped, but the case has run",
                                                   "injected: a fault struck 1 times in a skipped case"));
}

TEST(RecordCheck, TimesAreNotNegative) {
  EXPECT_THAT(problems_after([](Record& record) { record.timing.warm_ms[1] = -1; }),
              testing::Contains("timing.warm_ms: -1 ms is no time"));
  EXPECT_THAT(problems_after([](Record& record) { record.timing.throughput = -2; }),
              ElementsAre("timing.throughput: -2 is no rate"));
  EXPECT_THAT(problems_after([](Record& record) { record.timing.cpu_ms = {1}; }),
              ElementsAre("timing.details.cpu_ms: 1 values for 2 of warm_ms"));
  EXPECT_THAT(problems_after([](Record& record) { record.stages[0].peak_bytes = -1; }),
              testing::Contains("stages.outer.peak_bytes: is negative"));
}

TEST(RecordCheck, BlocksCoverTheSamplesInOrder) {
  EXPECT_THAT(problems_after([](Record& record) { record.timing.blocks[0].first = 1; }),
              ElementsAre("timing.details.blocks: do not follow each other"));
  EXPECT_THAT(problems_after([](Record& record) { record.timing.blocks[0].count = 1; }),
              ElementsAre("timing.details.blocks: hold 1 of 2 samples"));
  EXPECT_THAT(problems_after([](Record& record) { record.timing.blocks[0].process = 1; }),
              ElementsAre("timing.details.blocks: process 1 has no cold call"));
}

TEST(RecordCheck, NoStageIsLongerThanWhatItIsIn) {
  EXPECT_THAT(problems_after([](Record& record) { record.stages[1].wall_ms[0] = 8.5; }),
              testing::Contains("stages.inner.wall_ms: 8.5 of the 8 ms of outer"));
  EXPECT_THAT(problems_after([](Record& record) { record.stages[1].self_ms[0] = 6; }),
              testing::Contains("stages.inner.self_ms: 6 of a whole of 5 ms"));
  EXPECT_THAT(problems_after([](Record& record) { record.stages[0].self_ms[0] = 2; }),
              ElementsAre("stages: take 7 ms by themselves, the outermost ones 8 ms"));
  EXPECT_THAT(problems_after([](Record& record) { record.timing.warm_ms[0] = 7; }),
              ElementsAre("stages: take 8 ms of a run of 7 ms"));
  EXPECT_THAT(problems_after([](Record& record) { record.stages[1].parent = "nobody"; }),
              testing::Contains("stages.inner.parent: there is no stage nobody"));
  EXPECT_THAT(problems_after([](Record& record) { record.stages[0].calls = 1; }),
              ElementsAre("stages.outer.calls: 1 in 2 runs"));
}

// A stage on another thread runs beside the run: it is no part of its sum.
TEST(RecordCheck, AStageOnAnotherThreadIsNoPartOfTheRun) {
  StageRecord aside{"aside", "", 2, {90, 90}, {90, 90}};
  aside.other_thread = true;
  EXPECT_THAT(problems_after([&](Record& record) { record.stages.push_back(aside); }), IsEmpty());
}

// A method that calls itself has a stage within itself, and one that is within it and holds it again.
TEST(RecordCheck, StagesAreATree) {
  const auto parents = [](const char* outer, const char* inner) {
    return problems_after([&](Record& record) {
      record.stages = {{"run", "", 2, {8, 9}, {8, 9}},
                       {"outer", outer, 2, {4, 4}, {0, 0}},
                       {"inner", inner, 2, {4, 4}, {0, 0}}};
    });
  };
  EXPECT_THAT(parents("run", "outer"), IsEmpty());
  EXPECT_THAT(parents("inner", "outer"),
              ElementsAre(HasSubstr("outer.parent: inner is in no outermost stage"),
                          HasSubstr("inner.parent: outer is in no outermost")));
  EXPECT_THAT(parents("outer", "run"), ElementsAre(HasSubstr("outer.parent: outer is in no outermost")));
  const auto itself = problems_after([](Record& record) {
    record.stages = {{"run", "", 2, {8, 9}, {8, 9}}, {"run", "run", 2, {8, 9}, {0, 0}}};
  });
  EXPECT_THAT(itself, IsEmpty());
}

}  // namespace
}  // namespace aqbench
