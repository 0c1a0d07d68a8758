#include "reports/content/environment_text.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

Record isolated_record(const std::string& isolation) {
  Record record;
  record.method = "sparse";
  record.status = Status::ok;
  record.isolation = isolation;
  return record;
}

TEST(IsolationLine, StandsOnceIfAllAreAlike) {
  Results results;
  EXPECT_EQ(isolation_line(results), "");
  results.records = {isolated_record("landlock ABI 7"), isolated_record("landlock ABI 7")};
  EXPECT_EQ(isolation_line(results), "landlock ABI 7");
  results.records.push_back(isolated_record("none: switched off"));
  EXPECT_EQ(isolation_line(results), "landlock ABI 7 (2 cases), none: switched off (1 case)");
}

TEST(IsolationLine, IsOfRealMethodsThatRan) {
  Results results;
  results.records = {isolated_record("")};
  EXPECT_EQ(isolation_line(results), "not recorded");
  results.records[0].simulated = true;
  EXPECT_EQ(isolation_line(results), "");
  results.records[0].simulated = false;
  results.records[0].status = Status::skipped;
  EXPECT_EQ(isolation_line(results), "");
  results.records[0].status = Status::ok;
  results.records[0].method.clear();
  results.records[0].workload = "tricubic";
  EXPECT_EQ(isolation_line(results), "");
}

}  // namespace
}  // namespace aqbench
