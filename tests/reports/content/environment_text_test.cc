#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "harness/planning/axis.h"
#include "harness/planning/plan_request.h"
#include "reports/content/environment_text.h"
#include "reports/content/run_sections.h"
#include "tests/reports/synthetic.h"

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

TEST(RunSentences, SayHowTheRunWent) {
  BundleContent content = content_of(synthetic_results());
  content.tests = "passed";
  EXPECT_THAT(run_sentences(content),
              ::testing::ElementsAre("4 of 4 planned cases ok.", "The program's own tests: passed."));
  content.results.records[0].status = Status::crashed;
  content.results.records[1].injected = {{"simulation", "corrupt", 1}};
  content.results.run.complete = false;
  EXPECT_EQ(run_sentences(content)[0], "3 of 4 planned cases ok, 1 crashed; the run was interrupted.");
  EXPECT_THAT(run_sentences(content)[1], ::testing::StartsWith("Faults were put into cases"));
}

using ::testing::IsEmpty;

TEST(LogWarnings, TheWordInAnyCaseAndNothingLikeIt) {
  const auto warnings = warnings_of_log(
      "all fine\nfoo.cc:3: warning: unused\r\n0 warnings, forewarning, warning_count\n[WARN] x\nWarning",
      "a.log");
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].line, 2u);
  EXPECT_THAT(warnings[0].text, ::testing::StartsWith("foo.cc:3: warning: unused"));
  EXPECT_EQ(warnings[1].line, 4u);
  EXPECT_EQ(warnings[2].line, 5u);
  EXPECT_LE(warnings_of_log("warning " + std::string(5000, 'x'), "a").at(0).text.size(), 203u);
  EXPECT_THAT(warnings_of_log("", "a"), IsEmpty());
}

}  // namespace

}  // namespace aqbench
