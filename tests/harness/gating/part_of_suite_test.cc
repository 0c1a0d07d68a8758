#include "harness/gating/part_of_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/gating/gate.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Two scenes x two methods, of which a run with --method has one.
Results run_of_one_method() {
  Results results = synthetic_results();
  const std::string kept = results.records[0].method;
  std::erase_if(results.records, [&](const Record& record) { return record.method != kept; });
  results.run.suite = "seed";
  results.run.requested = Json{{"suite", "seed"}, {"methods", {kept}}, {"scenes", Json::array()}};
  results.run.effective =
      Json{{"scenes", {"flat_plane", "undulating"}}, {"methods", {kept}}, {"workloads", Json::array()}};
  return results;
}

TEST(PartOfSuite, WhatFiltersLeaveOutIsNamedAndNotMissing) {
  const Results all = synthetic_results();
  Baseline baseline = synthetic_baseline(all);
  baseline.suite = "seed";
  const Results part = run_of_one_method();
  const Verdicts report = gate(part, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  EXPECT_EQ(report.count(Verdict::missing), 0u);
  EXPECT_THAT(report.notes, Contains(HasSubstr("a part of the suite (--method ")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("2 accepted cases did not run: ")));
  for (const BaselineCase& one : baseline.cases) {
    if (part_of_suite(part).leaves_out(one.name)) {
      EXPECT_THAT(report.notes, Contains(HasSubstr(one.name)));
    }
  }
}

// A case of a scene and method that ran is missing, whatever the filters.
TEST(PartOfSuite, ACaseThatShouldHaveRunIsMissing) {
  const Results all = synthetic_results();
  Baseline baseline = synthetic_baseline(all);
  baseline.suite = "seed";
  Results part = run_of_one_method();
  part.records.pop_back();
  EXPECT_EQ(gate(part, baseline).exit_code(), ExitCode::regression);
  Results whole = all;
  whole.run.suite = "seed";
  whole.records.pop_back();
  EXPECT_EQ(gate(whole, baseline).count(Verdict::missing), 1u);
}

TEST(PartOfSuite, NamesAreTakenApartByWhatRan) {
  PartOfSuite part{{}, {"a:fast"}, {}, {"mesh:x/y.ply"}, {"a:fast"}, {"kernel"}};
  EXPECT_FALSE(part.leaves_out("mesh:x/y.ply/a:fast/seed=1"));
  EXPECT_TRUE(part.leaves_out("mesh:x/y.ply/a/seed=1"));
  EXPECT_FALSE(part.leaves_out("kernel/size=4"));
  part = {{}, {}, {"kernel"}, {}, {}, {"kernel"}};
  EXPECT_TRUE(part.leaves_out("other/size=4"));
  EXPECT_FALSE(PartOfSuite{}.leaves_out("anything"));
}

}  // namespace
}  // namespace aqbench
