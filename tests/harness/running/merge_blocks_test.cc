#include "harness/running/merge_blocks.h"
#include "harness/records/case_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

TEST(BlockOrder, EveryRoundHoldsEveryCaseOnceInAnOrderOfItsOwn) {
  const auto order = block_order({20, 20, 3}, 7);
  ASSERT_EQ(order.size(), 43u);
  EXPECT_EQ(std::ranges::count(order, 2u), 3);
  int zero_first = 0;
  for (std::size_t round = 3; round < 20; ++round) {  // two cases are left
    const std::size_t at = 9 + 2 * (round - 3);
    EXPECT_NE(order[at], order[at + 1]) << round;
    zero_first += order[at] == 0 ? 1 : 0;
  }
  EXPECT_THAT(zero_first, testing::AllOf(testing::Gt(2), testing::Lt(15)));
  EXPECT_EQ(block_order({20, 20, 3}, 7), order);
  EXPECT_NE(block_order({20, 20, 3}, 8), order);
}

TEST(InterleavedBlocks, CasesThatAreComparedRunTogetherGroupByGroup) {
  std::vector<Case> cases(5);
  for (Case& planned : cases) {
    planned.workload = "w";
    planned.timing.blocks = 6;
  }
  cases[2].seed = cases[3].seed = 43;
  cases[4].workload = "v";
  std::vector<const Case*> pointers;
  for (const Case& planned : cases) pointers.push_back(&planned);
  const auto order = interleaved_blocks(pointers);
  ASSERT_EQ(order.size(), 30u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i] / 2, i / 12) << i;
  for (std::size_t i = 0; i < 24; i += 2) EXPECT_NE(order[i], order[i + 1]) << i;
}

Record timed_result(const Case& planned, std::vector<double> warm_ms) {
  Record record = planned_record(planned);
  record.status = Status::ok;
  record.output_sha256 = std::string(64, 'a');
  record.timing.cold_ms = 10;
  record.timing.blocks = {{0, warm_ms.size(), 0, {}, {}, {}, {}, false}};
  record.timing.cpu_ms = warm_ms;
  record.timing.throughput = 6 / warm_ms.at(0);
  record.timing.throughput_unit = "x/s";
  record.timing.warm_ms = std::move(warm_ms);
  return record;
}

Case timed_case() {
  Case planned;
  planned.name = "w/seed=42";
  planned.workload = "w";
  planned.timing.repetitions = 2;
  planned.timing.blocks = 2;
  return planned;
}

TEST(MergeBlock, SamplesOfAllProcessesStandInOneRecord) {
  const Case planned = timed_case();
  Record merged = timed_result(planned, {2, 2});
  merge_block(planned, merged, timed_result(planned, {4, 4}));
  const Timing& timing = merged.timing;
  EXPECT_THAT(timing.warm_ms, testing::ElementsAre(2, 2, 4, 4));
  EXPECT_THAT(timing.more_cold_ms, testing::ElementsAre(10));
  ASSERT_EQ(timing.blocks.size(), 2u);
  EXPECT_EQ(timing.blocks[1].first, 2u);
  EXPECT_EQ(timing.blocks[1].process, 1u);
  EXPECT_NEAR(*timing.throughput, 6 / 3.0, 1e-12) << "of the median over all";
  EXPECT_EQ(record_from_json(to_json(merged)).timing.blocks[1].process, 1u);
}

TEST(MergeBlock, AColdTimeThatIsMissingIsNullAndNoZero) {
  const Case planned = timed_case();
  Record merged = timed_result(planned, {2, 2}), next = timed_result(planned, {4, 4});
  next.timing.cold_ms.reset();
  merge_block(planned, merged, next);
  const Json json = to_json(merged);
  EXPECT_EQ(json["timing"]["details"]["more_cold_ms"].dump(), "[null]");
  EXPECT_EQ(to_json(record_from_json(json)).dump(), json.dump());
}

TEST(MergeBlock, AllBlocksTogetherAreTheSameAsOneAfterTheOther) {
  const Case planned = timed_case();
  const std::vector<Record> blocks = {timed_result(planned, {2, 3}), timed_result(planned, {4, 4})};
  Record merged = blocks[0];
  merge_block(planned, merged, blocks[1]);
  EXPECT_EQ(to_json(merged_record(planned, blocks)).dump(), to_json(merged).dump());
}

TEST(MergeBlock, AnotherOutputOrAFailureIsTheCasesFailure) {
  const Case planned = timed_case();
  Record merged = timed_result(planned, {2}), other = timed_result(planned, {1});
  other.output_sha256[0] = 'b';
  merge_block(planned, merged, other);
  EXPECT_EQ(merged.status, Status::invalid);
  EXPECT_EQ(merged.reason, "invalid: two processes gave different outputs");
  EXPECT_THAT(merged.timing.warm_ms, testing::IsEmpty());
  merged = timed_result(planned, {2});
  other.status = Status::crashed;
  other.reason = "died";
  merge_block(planned, merged, other);
  EXPECT_EQ(merged.status, Status::crashed);
}

}  // namespace
}  // namespace aqbench
