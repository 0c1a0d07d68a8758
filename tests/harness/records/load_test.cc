#include "harness/records/load.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

Record timed_under(double load_1m, std::int64_t threads = 1) {
  Record record;
  record.case_name = "BM_sort/8";
  record.timing.warm_ms = {3, 4};
  record.timing.cpu_ms = {1, 1};
  record.timing.threads = {{"openmp", threads}};
  record.timing.blocks.emplace_back().load_1m = load_1m;
  return record;
}

TEST(Load, AboveTheProcessorsSaysThatCpuTimeTellsMore) {
  const Json two = {{"comparability", {{"cores", 2u}}}}, of_tool = {{"comparability", {{"num_cpus", 2u}}}};
  EXPECT_TRUE(is_better_by_cpu(timed_under(2.1), two));
  EXPECT_TRUE(is_better_by_cpu(timed_under(2.1), of_tool));
  EXPECT_FALSE(is_better_by_cpu(timed_under(2), two));
  EXPECT_FALSE(is_better_by_cpu(timed_under(9, 4), two));
  EXPECT_FALSE(is_better_by_cpu(timed_under(9), Json::object()));
  Record record = timed_under(9);
  record.timing.cpu_ms.clear();
  EXPECT_FALSE(is_better_by_cpu(record, two));
  record = timed_under(9);
  record.case_name += "/real_time";
  EXPECT_FALSE(is_better_by_cpu(record, two));
  record = timed_under(9);
  record.timing.blocks.clear();
  EXPECT_FALSE(is_better_by_cpu(record, two));
}

}  // namespace
}  // namespace aqbench
