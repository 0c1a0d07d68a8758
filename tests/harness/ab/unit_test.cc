#include "harness/ab/unit.h"

#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

StageRecord stage_of(const char* name, const char* parent, std::vector<double> self_ms) {
  StageRecord stage;
  stage.name = name;
  stage.parent = parent;
  stage.calls = self_ms.size();
  stage.wall_ms = self_ms;
  stage.self_ms = std::move(self_ms);
  return stage;
}

Record timed_record() {
  Record record;
  record.case_name = "x";
  record.status = Status::ok;
  record.output_sha256 = std::string(64, 'e');
  record.metrics = {{"points", {3.0, "1", Better::higher, ""}}};
  record.timing.cold_ms = 30;
  record.timing.warm_ms = {10, 11, 12};
  record.stages = {stage_of("match", "", {9, 4, 5, 6}), stage_of("write", "match", {1, 1, 1}),
                   stage_of("write", "fuse", {2, 2, 2}), stage_of("cold_only", "", {7})};
  return record;
}

TEST(AbUnit, TakesTheWarmSamplesAndTellsStagesOfOneNameApart) {
  const Record unit = unit_of(timed_record(), true).record;
  EXPECT_EQ(unit.status, Status::ok);
  EXPECT_EQ(unit.timing.cold_ms, 30);
  EXPECT_EQ(unit.timing.warm_ms, (std::vector<double>{10, 11, 12}));
  ASSERT_EQ(unit.stages.size(), 3u);
  EXPECT_EQ(unit.stages[0].self_ms, (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(unit.stages[1].name, "match>write");
  EXPECT_EQ(unit.stages[2].name, "fuse>write");
  EXPECT_TRUE(unit.unit->scored);
  EXPECT_EQ(unit.metrics.size(), 1u);
  EXPECT_FALSE(unit_of(timed_record(), false).record.unit->scored);
}

TEST(AbUnit, TooFewOrUntimedRunsAreFailures) {
  Record record = timed_record();
  record.timing.warm_ms.pop_back();
  EXPECT_THAT(unit_of(record, false).record.reason, HasSubstr("gave 2 warm runs"));
  record = timed_record();
  record.timing.warm_ms[1] = 0;
  EXPECT_EQ(unit_of(record, false).record.status, Status::failed);
  record = timed_record();
  record.status = Status::skipped;
  record.reason = "there is no CUDA device here";
  EXPECT_EQ(unit_of(record, true).record.status, Status::skipped);
}

TEST(AbUnit, ForMetricsAloneTheColdRunIsAll) {
  Record record = timed_record();
  record.timing.warm_ms.clear();
  const Record unit = unit_of(record, true, false).record;
  EXPECT_EQ(unit.status, Status::ok) << unit.reason;
  EXPECT_EQ(unit.metrics.size(), 1u);
  EXPECT_TRUE(unit.stages.empty());
  EXPECT_EQ(unit_of(record, true).record.status, Status::failed);
}

TEST(AbUnit, AProgramThatIsNoAqbenchIsNamed) {
  const auto refused = [](const std::string& binary) {
    return test::error_of(ErrorKind::input, [&] { describe_program(binary, {}, {}); });
  };
  EXPECT_THAT(refused("/bin/true"), HasSubstr("/bin/true: `unit` did not print JSON"));
  EXPECT_THAT(refused("/nowhere/aqbench"), HasSubstr("/nowhere/aqbench: No such file"));
  EXPECT_THAT(refused("/bin/false"), HasSubstr("/bin/false failed with exit code 1"));
}

}  // namespace
}  // namespace aqbench
