#include "reports/content/environment_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "harness/planning/axis.h"
#include "harness/planning/plan_request.h"

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

// A profile is made again by `profile`: methods are its arguments, and a case with axes is named as one.
TEST(ReproduceCommand, OfAProfileIsAProfile) {
  PlanRequest request;
  request.scenes = {"undulating"};
  request.methods = {"roma_like"};
  RunInfo run;
  run.requested = requested_json(request);
  EXPECT_EQ(reproduce_command(run), "aqbench sweep --scene undulating --method roma_like");
  run.effective = Json{{"profile", Json::array()}};
  EXPECT_EQ(reproduce_command(run), "aqbench profile roma_like --scene undulating");
  request.axes = {parse_axis("seed=43")};
  run.requested = requested_json(request);
  EXPECT_EQ(reproduce_command(run), "aqbench profile undulating/roma_like/seed=43");
}

}  // namespace
}  // namespace aqbench
